/**
 * Whether a PDF contains what acts when somebody opens it: scripts, programs, attached files, forms that send. UNKNOWN: parts
 * that could have it are compressed or encrypted, and the service opens none.
 */
export const activeContents = ["FOUND", "NOT_FOUND", "UNKNOWN"] as const
export type ActiveContent = (typeof activeContents)[number]

/** Names of what acts (ISO 32000-2, sections 12.5.6.15, 12.6.4, 12.7.6, 12.7.8, 13.2.3, 13.6 and 13.7). */
const acting: ReadonlySet<string> = new Set(
  (
    "JavaScript Launch EmbeddedFile EmbeddedFiles FileAttachment Rendition RichMedia SubmitForm ImportData GoToE " +
    "OnInstantiate XFA"
  ).split(" ")
)

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const isOf = (characters: string) => (byte: number) => isDigit(byte) || characters.includes(String.fromCharCode(byte))

/**
 * Names that act by their value, with the first character that it must have; a comment can come before it. `OpenAction` with a list is a place in the file:
 * harmless and common. Names of two letters also come by chance in the bytes of images, but rarely with such a value.
 */
const actingBy: ReadonlyMap<string, (byte: number) => boolean> = new Map([
  ["OpenAction", (byte) => byte !== 0x5b],
  ["AA", isOf("<%")],
  ["EF", isOf("<%")],
  ["JS", isOf("(<%")]
])

/** Names of parts that hide others: compressed objects, and encryption. */
const hiding: ReadonlySet<string> = new Set(["ObjStm", "Encrypt"])

const longest = Math.max(...[...acting, ...hiding, ...actingBy.keys()].map(({ length }) => length))

const slash = 0x2f
const isSpace = (byte: number): boolean => byte <= 0x20

/** Whether a byte ends a name (ISO 32000-2, section 7.2.3): white space, or a delimiter. */
const endsName = Array.from(
  { length: 256 },
  (_, byte) => isSpace(byte) || "()<>[]{}/%".includes(String.fromCharCode(byte))
)

/** A name whose last three characters may be one in hex (section 7.3.5). */
const decoded = (name: string): string => {
  const hex = /#([0-9A-Fa-f]{2})$/.exec(name)?.[1]
  return hex === undefined ? name : name.slice(0, -3) + String.fromCharCode(Number.parseInt(hex, 16))
}

/** Looks for names in the pieces of a PDF. */
export const makeActiveContent = () => {
  let isActing = false
  let isHiding = false
  /** The name that is being read; undefined outside of one. */
  let name: string | undefined
  /** Judges the value that comes next by its first character. */
  let isActingBy: ((byte: number) => boolean) | undefined

  const judge = (byte: number) => {
    if (isSpace(byte)) return
    if (isActingBy?.(byte)) isActing = true
    isActingBy = undefined
  }

  const end = (byte: number) => {
    const byValue = name === undefined ? undefined : actingBy.get(name)
    if (byValue !== undefined) {
      isActingBy = byValue
      judge(byte)
    } else if (name !== undefined && acting.has(name)) isActing = true
    else if (name !== undefined && hiding.has(name)) isHiding = true
    name = byte === slash ? "" : undefined
  }

  return {
    add: (piece: Uint8Array): void => {
      for (const byte of piece) {
        if (isActingBy !== undefined) judge(byte)
        if (endsName[byte]) end(byte)
        else if (name !== undefined) {
          const letters = name + String.fromCharCode(byte)
          name = letters.length > longest + 2 ? undefined : letters.at(-3) === "#" ? decoded(letters) : letters
        }
      }
    },
    end: (): ActiveContent => {
      end(slash)
      if (isActing) return "FOUND"
      return isHiding ? "UNKNOWN" : "NOT_FOUND"
    }
  }
}
