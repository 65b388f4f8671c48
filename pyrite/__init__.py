"""Pyrite: tensors that write their own machine code."""

from .backends.autodiff import GradientCheckpointingStrategy, Gradients
from .backends.compiled import fusion
from .device import Device, DeviceSettings
from .differentiate import grad, value_and_grad
from .display import PrintOptions, get_print_options, set_print_options
from .interop import asarray, asarray_f, from_dlpack, load_safetensors, save_safetensors
from .layout import Layout
from .tensor import Shape, Tensor
