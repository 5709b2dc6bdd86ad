/** How many bytes of a response body are read, and how many of those are kept (DECISIONS.md#webhooks). */
export const readMaxBytes = 4096
const keptMaxBytes = 1024

/**
 * The start of a body as text, at most 1 KiB in UTF-8. Replaces invalid UTF-8 and NUL, which some stores cannot keep,
 * and drops a truncated last character.
 */
export const excerptOf = (chunks: ReadonlyArray<Uint8Array>): string => {
  const [only = new Uint8Array(0)] = chunks
  const bytes = chunks.length < 2 ? only : Buffer.concat(chunks)
  if (bytes.length === 0) return ""
  const text = new TextDecoder().decode(bytes.subarray(0, keptMaxBytes), { stream: true }).replaceAll("\0", "\uFFFD")
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(keptMaxBytes))
  return text.slice(0, read)
}
