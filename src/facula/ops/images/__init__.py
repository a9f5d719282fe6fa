"""Convolution, pooling, resampling: operators with spatial dimensions."""
