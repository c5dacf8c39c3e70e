import type { Part } from './part.ts';
export const memory: Part = async () => ({});
