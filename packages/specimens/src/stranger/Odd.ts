/** Classifies a text by the property that careless servers handle wrongly. */
export const oddnessOf = (text: string): string => {
  if (text.includes("\u0000")) return "NUL"
  if (text !== text.normalize("NFC")) return "decomposed"
  if (/\p{Extended_Pictographic}/u.test(text)) return "emoji"
  if (text.length > 255) return "long"
  if (text !== text.trim()) return "padded"
  if (/['"\\]/.test(text)) return "quote"
  if (/[<>&]/.test(text)) return "markup"
  if (/[%_*]/.test(text)) return "wildcard"
  return /[^ -~]/.test(text) ? "foreign" : "plain"
}
