import { Resolver } from "node:dns/promises"
import { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import { Effect, Layer } from "effect"

const timeoutMillis = 3000
const tries = 2

/** Looks up TXT records with the name servers of the machine. */
export const layer: Layer.Layer<DomainProof> = Layer.sync(DomainProof, () => {
  const resolver = new Resolver({ timeout: timeoutMillis, tries })
  return DomainProof.of({
    textsOf: (name) =>
      Effect.tryPromise(() => resolver.resolveTxt(name)).pipe(
        Effect.map((records) => records.map((parts) => parts.join(""))),
        Effect.orElseSucceed(() => [])
      )
  })
})
