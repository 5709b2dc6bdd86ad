/** Text as registers print it: capital letters, plain digits and hyphens, no spaces. */
const printed = (text: string): string =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .normalize("NFKC")
    .replace(/[\s\p{Cf}]+/gu, "")
    .replace(/[\p{Pd}−]/gu, "-")

/**
 * Returns the form by which card numbers are compared: without letter case, spaces and hyphens. Text of nothing else
 * stays as it is.
 */
export const cardKey = (identifier: string): string => {
  const key = printed(identifier).replaceAll("-", "")
  return key === "" ? identifier : key
}

/** Returns a card number in the form of its register. A number that has no such form stays as it is. */
export const inFormOf = (pattern: RegExp, identifier: string): string =>
  [printed(identifier), cardKey(identifier)].find((form) => pattern.test(form)) ?? identifier
