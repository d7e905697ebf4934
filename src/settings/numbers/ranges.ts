import { longestTimer } from "../../base/deadline.ts";

export const kibibyte = 1024;
export const mebibyte = 1024 * kibibyte;
export const second = 1000;

export const count = { minimum: 1, maximum: 10_000_000 } as const;
export const bytes = { minimum: 1 * kibibyte, maximum: 1024 * mebibyte } as const;
export const wait = { minimum: 1, maximum: longestTimer } as const;
export const share = { minimum: 0, maximum: 1, fraction: true } as const;
