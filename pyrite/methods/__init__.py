"""Methods of tensors by topic, as mixins: Burn's names, and Python's operators."""
