/** Every operation in the contract and the function that performs it. */
import type { Handlers } from './api/handler.ts';
import * as hxl from './hxl/handlers.ts';
import * as surveys from './surveys/handlers.ts';
import * as access from './users/handlers.ts';

export const handlers = { ...surveys, ...hxl, ...access } satisfies Handlers;
