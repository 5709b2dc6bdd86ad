/**
 * Whether a PDF contains what acts when somebody opens it: scripts, programs, attached files, forms that send. UNKNOWN: parts
 * that could have it are compressed or encrypted, and the service opens none.
 */
export const activeContents = ["FOUND", "NOT_FOUND", "UNKNOWN"] as const
export type ActiveContent = (typeof activeContents)[number]

/** Names of what acts (ISO 32000-2, sections 12.6.4, 12.7.6, 12.7.8, 13.7 and 7.11.4). */
const acting: ReadonlySet<string> = new Set(
  "JavaScript Launch EmbeddedFile EmbeddedFiles RichMedia SubmitForm ImportData GoToE XFA".split(" ")
)

/** Names of parts that hide others: compressed objects, and encryption. */
const hiding: ReadonlySet<string> = new Set(["ObjStm", "Encrypt"])

const openAction = "OpenAction"
const longest = Math.max(...[...acting, ...hiding, openAction].map(({ length }) => length))

const slash = 0x2f
const bracket = 0x5b
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
  /** Whether the value of `OpenAction` comes next. */
  let isOpening = false

  /** The value of `OpenAction` begins with this byte. A list is a place in the file: harmless and common. */
  const open = (byte: number) => {
    isOpening = isSpace(byte)
    if (!isOpening && byte !== bracket) isActing = true
  }

  const end = (byte: number) => {
    if (name === openAction) open(byte)
    else if (name !== undefined && acting.has(name)) isActing = true
    else if (name !== undefined && hiding.has(name)) isHiding = true
    name = byte === slash ? "" : undefined
  }

  return {
    add: (piece: Uint8Array): void => {
      for (const byte of piece) {
        if (isOpening) open(byte)
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
