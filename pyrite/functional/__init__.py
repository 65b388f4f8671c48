"""Burn's function modules: `pr.activation`, `pr.grid` and `pr.signal`."""
