"""The Python array API standard, 2025.12, on tensors; and what every tensor program needs beside it."""
