"""Showing graphs: ``draw`` (a tree of text, SVG, DOT), ``explore`` (a page to step through), ``viz.make_dot``.

``model`` reads a graph once for all of them. Nothing here is loaded before it is asked for.
"""
