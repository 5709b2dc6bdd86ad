/** The length of a random token, of which only the hash is stored. 62^43 is about 2^256. */
export const tokenLength = 43

/** Whether text has the form of such a token. Other text is refused without a look-up. */
export const isTokenShaped = (text: string): boolean => text.length === tokenLength && /^[0-9A-Za-z]+$/.test(text)
