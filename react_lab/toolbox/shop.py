"""Prices and stock of the kit's small shop."""

from __future__ import annotations

import re

from ..errors import ToolFailure
from ..tools import tool
from .world import close_names, read_table


@tool(timeout=None)
def shop(product: str) -> str:
    """Return the unit price in EUR and the stock of one product of the shop. Use it for prices and stock, one product a call; not for totals. Example: product umbrella.

    Args:
        product: the name of one product, in the singular, such as umbrella
    """
    return offer(product, "en")


@tool(name="shop", timeout=None)
def shop_zh(product: str) -> str:
    """查询商店里一种商品的单价（EUR）和库存。价格和库存用它，每次一种商品；不计算总价。例如：product 雨伞。

    参数：
        product: 一种商品的名称，例如 雨伞
    """
    return offer(product, "zh")


def offer(product: str, language: str) -> str:
    """Return one line; raise ToolFailure for a product that the shop does not sell."""
    rows = read_table("products.csv")
    wanted = {product.strip().casefold(), *_singulars(product)}
    for row in rows:
        names = {row["name"], row["zh"], *filter(None, row["aliases"].split("|"))}
        if wanted & {name.casefold() for name in names}:
            if language == "zh":
                return f"{row['zh']}：单价 {row['price']} EUR，库存 {row['stock']} 件"
            return f"{row['name']}: {row['price']} EUR each, {row['stock']} in stock"
    near = close_names(product, [name for row in rows for name in (row["name"], row["zh"])])
    if language == "zh":
        raise ToolFailure(
            f"商店没有商品 {product!r}。" + (f"你是不是想找 {'、'.join(near)}？" if near else "")
        )
    raise ToolFailure(
        f"the shop sells no product named {product!r}."
        + (f" Did you mean {', '.join(near)}?" if near else "")
    )


def _singulars(product: str) -> set[str]:
    name = re.sub(r"^(?:an?|the|one|\d+)\s+", "", product.strip().casefold())
    return {
        name,
        re.sub(r"s$", "", name),
        re.sub(r"es$", "", name),
        re.sub(r"ves$", "fe", name),
        re.sub(r"ies$", "y", name),
    }
