/** `sun_path` holds 108 bytes with its closing zero (unix(7)). */
export const LONGEST_SOCKET_PATH_BYTES = 107;
