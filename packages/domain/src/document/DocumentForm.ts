import { Result } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { type ActiveContent, makeActiveContent } from "./ActiveContent.ts"

/** The forms of a document: their media types, and the endings of their names. */
export const documentForms = {
  PDF: { mediaType: "application/pdf", extension: "pdf" },
  JPEG: { mediaType: "image/jpeg", extension: "jpg" },
  PNG: { mediaType: "image/png", extension: "png" },
  HEIC: { mediaType: "image/heic", extension: "heic" }
} as const
export type DocumentForm = keyof typeof documentForms
export const formNames = Object.keys(documentForms) as ReadonlyArray<DocumentForm>

/** The most pixels of an image. A viewer needs four bytes for each, however small the file is. */
export const pixelsMax = 100_000_000

/** The longest end of a ZIP file (APPNOTE.TXT, section 4.3.16): 22 bytes and a comment. */
const zipEndBytes = 22 + 0xffff

/** The bytes at the end of a PDF in which readers look for its last lines. */
const pdfEndBytes = 1024

const refuse = (reason: string) => Result.fail(new InvalidArgument({ field: "file", reason }))
const incomplete = (form: DocumentForm) => refuse(`is no whole ${form} file. Save it again, then upload it`)

const codes = (text: string): ReadonlyArray<number> => [...text].map((letter) => letter.charCodeAt(0))
const startsWith = (bytes: Uint8Array, prefix: ReadonlyArray<number>, at = 0): boolean =>
  prefix.every((byte, index) => bytes[at + index] === byte)
const has = (bytes: Uint8Array, text: string): boolean => {
  const sought = codes(text)
  return bytes.some((byte, at) => byte === sought[0] && startsWith(bytes, sought, at))
}
const letters = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
const number = (bytes: Uint8Array, at: number, size: 2 | 4): number =>
  bytes.subarray(at, at + size).reduce((sum, byte) => sum * 256 + byte, 0)

/** The most parts of a file. Ordinary files have fewer, and each part costs time. */
const partsMax = 20_000

/** What follows a header: a longer header, or bytes to skip. Undefined if the file is broken or ends the walk. */
type Next = { readonly header: number } | { readonly skip: number } | undefined

/** Walks over the parts of a file: reads each header and skips its content, over pieces of any size. */
const makeWalk = (begin: number, headerBytes: number, next: (header: Uint8Array) => Next) => {
  let skip = begin
  let wanted = headerBytes
  let header: Array<number> = []
  let parts = 0
  let isOver = false
  return {
    /** Returns the position in the piece at which the walk ended; undefined if it goes on. */
    add: (piece: Uint8Array): number | undefined => {
      let at = 0
      while (!isOver && at < piece.length) {
        const skipped = Math.min(skip, piece.length - at)
        skip -= skipped
        at += skipped
        if (skip > 0 || at === piece.length) break
        header.push(piece[at] ?? 0)
        at += 1
        if (header.length < wanted) continue
        parts += 1
        const after = parts > partsMax ? undefined : next(Uint8Array.from(header))
        if (after === undefined) isOver = true
        else if ("header" in after) wanted = after.header
        else {
          skip = after.skip
          header = []
          wanted = headerBytes
        }
      }
      return isOver ? at : undefined
    },
    /** Whether the file may end here: no header is begun and nothing is left to skip. */
    isAtEnd: (): boolean => !isOver && (skip === 0 || skip === Number.POSITIVE_INFINITY) && header.length === 0
  }
}

/** Looks at the pieces of a file of one form. `end` says whether the file was whole. */
interface Structure {
  readonly add: (piece: Uint8Array) => void
  readonly end: () => boolean
  /** The pixels of an image, of the largest one if there are several; 0 before they are known. */
  readonly pixels: () => number
  readonly activeContent: () => ActiveContent
}

const isImage = { activeContent: (): ActiveContent => "NOT_FOUND" }

const makePdf = (): Structure => {
  const { add, end } = makeActiveContent()
  return { add, end: () => true, pixels: () => 0, activeContent: end }
}

/** PNG, sections 5.2 to 5.6: a signature, then chunks. The first is IHDR, the last is IEND. */
const makePng = (): Structure => {
  let last = ""
  let pixels = 0
  const walk = makeWalk(8, 8, (header) => {
    const type = letters(header, 4)
    const length = number(header, 0, 4)
    const isFirst = last === ""
    if (last === "IEND" || isFirst !== (type === "IHDR") || (isFirst && length !== 13)) return undefined
    if (type === "IHDR" && header.length === 8) return { header: 16 }
    if (type === "IHDR") pixels = number(header, 8, 4) * number(header, 12, 4)
    last = type
    return { skip: length + 4 - (header.length - 8) }
  })
  return { add: walk.add, end: () => last === "IEND" && pixels > 0 && walk.isAtEnd(), pixels: () => pixels, ...isImage }
}

/** The boxes that lead to the sizes of images, and the bytes in front of the boxes in them (ISO/IEC 23008-12, section 6.5.3). */
const innerBoxes: Readonly<Record<string, number>> = { meta: 4, iprp: 0, ipco: 0 }

/** ISO/IEC 14496-12, section 4.2: boxes up to the end of the file. A box ends before the one around it. */
const makeHeic = (): Structure => {
  let hasMeta = false
  let pixels = 0
  /** The position of the next box, and the ends of the boxes around it. */
  let at = 0
  const ends: Array<number> = []

  const wholeOf = (header: Uint8Array): number => {
    const size = number(header, 0, 4)
    if (size === 0) return Number.POSITIVE_INFINITY
    return size === 1 ? number(header, 8, 4) * 2 ** 32 + number(header, 12, 4) : size
  }

  const walk = makeWalk(0, 8, (header) => {
    const type = letters(header, 4)
    const isLong = number(header, 0, 4) === 1
    if (type === "ispe" && header.length === 8) return isLong ? undefined : { header: 20 }
    if (isLong && header.length === 8) return { header: 16 }
    while (ends.at(-1) === at) ends.pop()
    const whole = wholeOf(header)
    if (whole < header.length || at + whole > (ends.at(-1) ?? Number.POSITIVE_INFINITY)) return undefined
    if (type === "ispe") pixels = Math.max(pixels, number(header, 12, 4) * number(header, 16, 4))
    hasMeta ||= type === "meta"
    const before = innerBoxes[type]
    if (before === undefined) {
      at += whole
      return { skip: whole - header.length }
    }
    ends.push(at + whole)
    at += header.length + before
    return at > (ends.at(-1) ?? 0) ? undefined : { skip: before }
  })
  const isClosed = () => ends.every((end) => end === at || end === Number.POSITIVE_INFINITY)
  return {
    add: walk.add,
    end: () => hasMeta && pixels > 0 && walk.isAtEnd() && isClosed(),
    pixels: () => pixels,
    ...isImage
  }
}

/** Markers of a frame: SOF0 to SOF15 without DHT, JPG and DAC (ITU T.81, table B.1). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** ITU T.81, annex B: segments up to the first scan, then a scan that EOI ends. Cameras add more after EOI. */
const makeJpeg = (): Structure => {
  let pixels = 0
  let isInScan = false
  let hasEnd = false
  let before = 0
  const walk = makeWalk(2, 4, (header) => {
    const marker = header[1] ?? 0
    const length = number(header, 2, 2)
    if (header[0] !== 0xff || marker < 0xc0 || length < 2) return undefined
    if (isFrame(marker) && (length < 8 || pixels > 0)) return undefined // a second frame could hide the first
    if (isFrame(marker) && header.length === 4) return { header: 9 }
    if (isFrame(marker)) pixels = number(header, 5, 2) * number(header, 7, 2)
    isInScan = marker === 0xda && pixels > 0
    return marker === 0xda ? undefined : { skip: length - 2 - (header.length - 4) }
  })
  const scan = (piece: Uint8Array) => {
    for (const byte of piece) {
      if (before === 0xff && byte === 0xd9) hasEnd = true
      before = byte
    }
  }
  return {
    add: (piece) => {
      if (hasEnd) return
      if (isInScan) scan(piece)
      else {
        const at = walk.add(piece)
        if (isInScan && at !== undefined) scan(piece.subarray(at))
      }
    },
    end: () => hasEnd,
    pixels: () => pixels,
    ...isImage
  }
}

const structures: Readonly<Record<DocumentForm, () => Structure>> = {
  PDF: makePdf,
  JPEG: makeJpeg,
  PNG: makePng,
  HEIC: makeHeic
}

/** The brands of images in HEVC (ISO/IEC 23008-12, annex B). The brand of the container alone can be of another codec. */
const heicBrands: ReadonlyArray<string> = ["heic", "heix", "heim", "heis"]

const isHeic = (first: Uint8Array): boolean => {
  if (letters(first, 4) !== "ftyp") return false
  const size = Math.min(number(first, 0, 4), 256, first.length)
  const brands = Array.from({ length: Math.max(0, size - 8) >> 2 }, (_, index) => letters(first, 8 + 4 * index))
  return brands.some((brand, index) => index !== 1 && heicBrands.includes(brand)) // the second one is a version
}

/** The form that the first bytes of a file show; undefined for any other. */
export const formOf = (first: Uint8Array): DocumentForm | undefined => {
  if (startsWith(first, codes("%PDF-")) && /^[12]\.[0-9]/.test(letters(first, 5))) return "PDF"
  if (startsWith(first, [0xff, 0xd8, 0xff])) return "JPEG"
  if (startsWith(first, [0x89, ...codes("PNG\r\n"), 0x1a, 0x0a])) return "PNG"
  return isHeic(first) ? "HEIC" : undefined
}

/**
 * Whether a file is also a ZIP file. Programs find one by the record at its end. They allow other bytes before it,
 * and many also behind it. The record is on one disk, and its directory lies in the file.
 */
const isZip = (tail: Uint8Array, bytes: number): boolean => {
  const sought = [0x50, 0x4b, 0x05, 0x06, 0, 0, 0, 0]
  const little = (at: number) => number(tail.slice(at, at + 4).reverse(), 0, 4)
  for (let at = tail.length - 22; at >= 0; at--) {
    if (startsWith(tail, sought, at) && little(at + 12) + little(at + 16) <= bytes) return true
  }
  return false
}

/**
 * Looks at a file piece by piece and finds its form by its content: by its first bytes, the parts that it is made of, and
 * its end. It never decodes or decompresses anything, and keeps at most the end of the file. All pieces have the same
 * size of at least 64 KiB, besides the last one.
 */
export const makeInspection = () => {
  let form: DocumentForm | undefined
  let structure: Structure | undefined
  let tail = new Uint8Array()
  let bytes = 0
  return {
    /** Fails at the first piece if the file has no form of `documentForms`. */
    add: (piece: Uint8Array): Result.Result<void, InvalidArgument> => {
      if (structure === undefined) {
        form = formOf(piece)
        if (form === undefined) return refuse("must be a PDF, JPEG, PNG or HEIC file. The content counts, not the name")
        structure = structures[form]()
      }
      structure.add(piece)
      bytes += piece.length
      if (structure.pixels() > pixelsMax) return refuse(`must have at most ${pixelsMax / 1e6} million pixels`)
      const joined = new Uint8Array(tail.length + piece.length)
      joined.set(tail)
      joined.set(piece, tail.length)
      tail = joined.slice(-zipEndBytes)
      return Result.void
    },
    /** Returns the form of the whole file, and whether it contains what acts. */
    end: (): Result.Result<{ readonly form: DocumentForm; readonly activeContent: ActiveContent }, InvalidArgument> => {
      if (form === undefined || structure === undefined) return refuse("is empty")
      if (!structure.end()) return incomplete(form)
      const end = tail.slice(-pdfEndBytes)
      if (form === "PDF" && !(has(end, "startxref") && has(end, "%%EOF"))) return incomplete(form)
      if (isZip(tail, bytes)) return refuse("is also a ZIP file. Save it again as a plain file")
      return Result.succeed({ form, activeContent: structure.activeContent() })
    }
  }
}
