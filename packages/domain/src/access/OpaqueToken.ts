/** Length of a random token that is stored only as a hash. 62^43 is about 2^256. */
export const tokenLength = 43

/** Returns whether text has the format of such a token. Other text is refused without a look-up. */
export const isTokenShaped = (text: string): boolean => text.length === tokenLength && /^[0-9A-Za-z]+$/.test(text)
