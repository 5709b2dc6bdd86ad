import { Result } from "effect"
import { Base64 } from "effect/encoding"
import type { TextReason } from "./Refusal.ts"
import { checkWellFormed } from "./WellFormed.ts"

/** Size limit of a response or of metadata, decoded. */
export const bytesMax = 256 * 1024
/** The same in base64, with a CR LF after every 64 characters. */
const base64Max = Math.ceil((bytesMax / 3) * 4 * (66 / 64)) + 4

const declaration =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([\w.-]+)"|'([\w.-]+)'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/

/** C0 except tab and line ends, DEL, C1, line separators (parsers normalize them differently), and noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be refused
const forbidden = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/

const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));/y

/** The XML of a `SAMLResponse` field. Line breaks within the base64 are ignored; nothing else is. */
export const readBase64 = (field: string): Result.Result<string, TextReason> => {
  if (field.length > base64Max) return tooLarge
  const text = field.replace(/[\r\n]/g, "")
  const bytes = Result.getOrUndefined(Base64.decode(text))
  // Only the canonical spelling: padded, and with zeros as the unused bits.
  if (bytes === undefined || text === "" || Base64.encode(bytes) !== text) return Result.fail({ _tag: "NotBase64" })
  return readBytes(bytes)
}

/** The XML of an uploaded file. One byte order mark is ignored, since editors write it. */
export const readUpload = (bytes: Uint8Array): Result.Result<string, TextReason> =>
  readBytes(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes)

const readBytes = (bytes: Uint8Array): Result.Result<string, TextReason> => {
  if (bytes.length > bytesMax) return tooLarge
  try {
    return readText(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return Result.fail({ _tag: "NotUtf8" })
  }
}

/** Returns the document without its declaration: elements, attributes and text only. */
const readText = (text: string): Result.Result<string, TextReason> => {
  const control = forbidden.exec(text)?.[0]
  if (control !== undefined) return Result.fail({ _tag: "ForbiddenCharacter", codePoint: control.codePointAt(0) ?? 0 })
  const declared = declaration.exec(text)
  const encoding = declared?.[1] ?? declared?.[2] ?? "UTF-8"
  if (encoding.toUpperCase() !== "UTF-8") return Result.fail({ _tag: "EncodingUnsupported", encoding })
  const body = text.slice(declared?.[0].length ?? 0)
  if (body.includes("<!")) return Result.fail({ _tag: "MarkupDeclaration" })
  if (body.includes("<?")) return Result.fail({ _tag: "ProcessingInstruction" })
  if (!hasKnownReferencesOnly(body)) return Result.fail({ _tag: "EntityUnknown" })
  return Result.map(checkWellFormed(body), () => body)
}

/**
 * The five predefined entities, the carriage return that signers leave in base64, and characters beyond ASCII, which
 * libxml2 writes as references. No reference stands for a character that could be markup.
 */
const hasKnownReferencesOnly = (body: string): boolean => {
  for (let at = body.indexOf("&"); at !== -1; at = body.indexOf("&", at + 1)) {
    reference.lastIndex = at
    const [found, entity, decimal, hex] = reference.exec(body) ?? []
    if (found === undefined) return false
    if (entity === undefined && !isKnownCharacter(Number.parseInt(hex ?? decimal ?? "", hex === undefined ? 10 : 16))) {
      return false
    }
  }
  return true
}

const isKnownCharacter = (codePoint: number): boolean =>
  codePoint === 13 ||
  (codePoint >= 0xa0 &&
    codePoint <= 0x10ffff &&
    String.fromCodePoint(codePoint).isWellFormed() &&
    !forbidden.test(String.fromCodePoint(codePoint)))

const tooLarge: Result.Result<never, TextReason> = Result.fail({ _tag: "TooLarge", bytesMax })
