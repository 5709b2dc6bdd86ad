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

const dash = 45

/** The most characters of a text field, and the most parts of a form. */
const textMax = 200
const partsMax = 20

const parameterOf = (head: string, name: "name" | "filename"): string | undefined =>
  new RegExp(`^content-disposition: *form-data;[^\\r\\n]*[; ]${name}="([^"\\r\\n]*)"`, "im").exec(head)?.[1]

/** The name of a file as browsers write it (HTML, "multipart/form-data"): only quotes and line ends are escaped. */
const nameIn = (head: string): string | undefined => {
  const last = parameterOf(head, "filename")?.split(/[\\/]/).at(-1)?.replaceAll("%22", '"')
  return last === undefined
    ? undefined
    : last
        .replaceAll(/\p{Cc}/gu, " ")
        .trim()
        .slice(0, 100) || "file"
}

/** A part of a form: its head, and where its content begins and ends. */
interface Part {
  readonly head: string
  readonly start: number
  readonly end: number
}

/** The parts of a form; undefined if it is malformed. The part after the last delimiter is none. */
const partsOf = (contentType: string, body: Uint8Array): ReadonlyArray<Part> | undefined => {
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const delimiter = encoded(`\r\n--${boundary}`)
  // The first delimiter has no line end before it.
  if (placeOf(body, delimiter.subarray(2), 0) !== 0) return undefined
  const parts: Array<Part> = []
  for (let at = delimiter.length - 2; !(body[at] === dash && body[at + 1] === dash); ) {
    const headStart = at
    const headStop = placeOf(body, headEnd, headStart)
    if (headStop === -1 || headStop - headStart > headMax || parts.length === partsMax) return undefined
    const start = headStop + headEnd.length
    const end = placeOf(body, delimiter, headStop)
    if (end === -1) return undefined
    parts.push({ head: text.decode(body.subarray(headStart, headStop)), start, end })
    at = end + delimiter.length
  }
  return parts
}

/** The first file of a form and its text fields. */
export interface FileForm {
  readonly file: FormFile
  /** The text of a field; empty if it is missing or too long. */
  readonly field: (name: string) => string
}

/**
 * Returns the first file of a form with its fields (RFC 7578); undefined without a file. The body is in memory already, and its
 * limit is that of one file.
 */
export const fileIn = (contentType: string, body: Uint8Array): FileForm | undefined => {
  const parts = partsOf(contentType, body) ?? []
  const found = parts.find(({ head }) => nameIn(head) !== undefined)
  if (found === undefined) return undefined
  const fields = parts.flatMap(({ end, head, start }) =>
    nameIn(head) === undefined && end - start <= textMax
      ? [[parameterOf(head, "name") ?? "", text.decode(body.subarray(start, end))] as const]
      : []
  )
  return {
    file: { name: nameIn(found.head) ?? "", bytes: body.subarray(found.start, found.end) },
    field: (name) => fields.find(([one]) => one === name)?.[1] ?? ""
  }
}
