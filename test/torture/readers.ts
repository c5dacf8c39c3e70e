import type { Part } from './part.ts';
export const readers: Part = async () => ({});
