/** How much of an answer's body is read, and how much of that is kept; in bytes (DECISIONS.md#webhooks). */
export const readMaxBytes = 4096
const keptMaxBytes = 1024

/**
 * The beginning of a body as text: what is no UTF-8, and NUL, which not every store keeps, are replaced; a character
 * that was cut is left out. Written as UTF-8 it has 1 KiB at the most.
 */
export const excerptOf = (chunks: ReadonlyArray<Uint8Array>): string => {
  const [only = new Uint8Array(0)] = chunks
  const bytes = chunks.length < 2 ? only : Buffer.concat(chunks)
  if (bytes.length === 0) return ""
  const text = new TextDecoder().decode(bytes.subarray(0, keptMaxBytes), { stream: true }).replaceAll("\0", "\uFFFD")
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(keptMaxBytes))
  return text.slice(0, read)
}
