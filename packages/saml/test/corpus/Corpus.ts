import { claims } from "./Claims.ts"
import type { Hostile } from "./Hostile.ts"
import { shapes } from "./Shapes.ts"
import { signatures } from "./Signatures.ts"
import { texts } from "./Texts.ts"
import { wrapping } from "./Wrapping.ts"

/** Every attack, by what it attacks. */
export const corpus: Readonly<Record<string, ReadonlyArray<Hostile>>> = {
  "text and encoding": texts,
  "shape of the response": shapes,
  "signature wrapping": wrapping,
  "signature and keys": signatures,
  "claims of a signed response": claims
}
