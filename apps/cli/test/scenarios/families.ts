import { OTHER_FAMILIES } from './other-families.js';
import { PATH_FAMILIES } from './path-families.js';
import type { Family } from './scenario.js';
import { WINDOW_FAMILIES } from './window-families.js';

/** All kinds of fault whose answer is known. */
export const FAMILIES: readonly Family[] = [...WINDOW_FAMILIES, ...PATH_FAMILIES, ...OTHER_FAMILIES];
