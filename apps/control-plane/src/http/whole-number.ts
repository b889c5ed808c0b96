import { z } from 'zod';

/** A whole number in a URL, written plainly: no sign, no exponent, no blanks. */
export const wholeNumber = (largest: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'a whole number that is not negative')
    .transform(Number)
    .refine((n) => n <= largest, `at most ${largest}`)
    .meta({ type: 'integer', minimum: 0, maximum: largest });

/** The largest that a column of type integer holds. */
export const LARGEST_INT4 = 2 ** 31 - 1;
