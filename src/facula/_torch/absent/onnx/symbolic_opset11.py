"""``torch.onnx.symbolic_opset11``: PyTorch's own operators in ONNX, which facula does not write."""
