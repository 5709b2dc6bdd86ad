/** A file of a form. */
export interface FormFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const text = new TextDecoder()
const encoded = (value: string): Uint8Array => new TextEncoder().encode(value)

/** The first place of a part in bytes from a place on; -1 if there is none. */
const placeOf = (bytes: Uint8Array, part: Uint8Array, from: number): number => {
  const [first = 0] = part
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + part.length > bytes.length) return -1
    if (part.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

/** The longest head of a part. */
const headMax = 4096

const headEnd = encoded("\r\n\r\n")

/** The name of a file as browsers write it (HTML, "multipart/form-data"): only quotes and line ends are escaped. */
const nameIn = (head: string): string | undefined => {
  const [, name] = /^content-disposition: *form-data;[^\r\n]*\bfilename="([^"\r\n]*)"/im.exec(head) ?? []
  const last = name?.split(/[\\/]/).at(-1)?.replaceAll("%22", '"')
  return last === undefined
    ? undefined
    : last
        .replaceAll(/\p{Cc}/gu, " ")
        .trim()
        .slice(0, 100) || "file"
}

/**
 * Returns the first file of a form (RFC 7578); undefined without one. The body is in memory already, and its limit is that of
 * one file.
 */
export const fileIn = (contentType: string, body: Uint8Array): FormFile | undefined => {
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const delimiter = encoded(`\r\n--${boundary}`)
  // The first delimiter has no line end before it.
  let at = placeOf(body, delimiter.subarray(2), 0)
  if (at !== 0) return undefined
  at += delimiter.length - 2
  while (at !== -1) {
    const headAt = at
    const end = placeOf(body, headEnd, headAt)
    if (end === -1 || end - headAt > headMax) return undefined
    const next = placeOf(body, delimiter, end)
    if (next === -1) return undefined
    const name = nameIn(text.decode(body.subarray(headAt, end)))
    if (name !== undefined) return { name, bytes: body.subarray(end + headEnd.length, next) }
    at = next + delimiter.length
  }
  return undefined
}
