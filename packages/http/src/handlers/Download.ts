import type { StoredDocument } from "@wcs/domain/document/Document"
import type { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { OfOne } from "./CollectionHandlers.ts"

/** A call to one document of a record. */
export type OfDocument = OfOne & { readonly params: { readonly documentId: string } }

export const octets = "application/octet-stream"

/**
 * The headers of a download. They hold for each content: a browser only saves the file, and never shows it, guesses its
 * type or keeps it. The name is in RFC 6266 and RFC 8187.
 */
const downloadHeaders = ({ bytes, name }: StoredDocument): Readonly<Record<string, string>> => {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, "_")
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return {
    "content-length": String(bytes),
    "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin"
  }
}

/** The response to a download. */
export const downloadOf = (document: StoredDocument, content: Stream.Stream<Uint8Array>) =>
  HttpServerResponse.stream(content, { contentType: octets, headers: downloadHeaders(document) })
