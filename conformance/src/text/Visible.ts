const code = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

const unseen = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Surrogate}\ufeff]/gu

/** Most texts are plain, and this is found much faster. */
const plain = /^[\x20-\x7e\n\t]*$/

/**
 * Escapes invisible characters: control characters, bidirectional marks and lone surrogates. Keeps line ends and tabs.
 */
export const visible = (text: string): string =>
  plain.test(text) ? text : text.replaceAll("\r\n", "\n").replaceAll(unseen, code)

/** Escapes a text into one line. */
export const inLine = (text: string): string => visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")
