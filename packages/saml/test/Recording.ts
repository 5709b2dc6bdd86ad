import { readFileSync } from "node:fs"
import type { Connection } from "@wcs/saml/Connection"
import type { PendingLogin } from "@wcs/saml/ResponseRules"

/** A recorded response of a real identity provider, with its request. */
interface Fixture {
  /** The product, its version, and how it signs. */
  readonly name: string
  /** When the response arrived, Unix milliseconds. */
  readonly receivedAt: number
  readonly connection: Connection
  readonly pending: PendingLogin
  readonly samlResponse: string
  readonly nameId: string
}

interface Recording {
  /** The identity provider's published metadata. */
  readonly metadata: string
  readonly fixtures: ReadonlyArray<Fixture>
}

const pathOf = (product: string) => new URL(`./fixtures/${product}.json`, import.meta.url)

export const readRecording = (product: string): Recording => JSON.parse(readFileSync(pathOf(product), "utf8"))
