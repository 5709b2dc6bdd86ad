/** The properties of texts that careless servers handle wrongly, the rarest first. */
const oddities: ReadonlyArray<readonly [odd: string, isOdd: (text: string) => boolean]> = [
  ["NUL", (text) => text.includes("\u0000")],
  ["decomposed", (text) => text !== text.normalize("NFC")],
  ["emoji", (text) => /\p{Extended_Pictographic}/u.test(text)],
  ["long", (text) => text.length > 255],
  ["padded", (text) => text !== text.trim()],
  ["quote", (text) => /['"\\]/.test(text)],
  ["markup", (text) => /[<>&]/.test(text)],
  ["wildcard", (text) => /[%_*]/.test(text)],
  ["foreign", (text) => /[^ -~]/.test(text)]
]

/**
 * Whether one of a text's odd properties, or `plain`, meets the condition. A server that cannot take one property fails
 * for every text that has it.
 */
export const someOdd = (text: string, is: (odd: string) => boolean): boolean => {
  const own = oddities.filter(([, isOdd]) => isOdd(text)).map(([odd]) => odd)
  return own.length === 0 ? is("plain") : own.some(is)
}

/** The first odd property of a text, or `plain`. */
export const oddnessOf = (text: string): string => oddities.find(([, isOdd]) => isOdd(text))?.[0] ?? "plain"
