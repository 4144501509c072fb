// The types of images that the API accepts in a prompt.

export const IMAGE_MEDIA_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageMediaType = (typeof IMAGE_MEDIA_TYPES)[number];

export const isImageMediaType = (value: unknown): value is ImageMediaType =>
  IMAGE_MEDIA_TYPES.some((type) => type === value);
