// The version of the product, the same in every package.

export const version = '0.1.0';
