import { open } from "node:fs/promises"
import { PublicKey } from "@wcs/domain/audit/AuditSignatures"
import { checkProof } from "@wcs/domain/proof/ProofCheck"
import { type AnyProof, doesNotProve } from "@wcs/domain/proof/ProofFile"
import { describe } from "@wcs/node-server/StartRefused"
import { Effect, Option, Schema } from "effect"
import { Json } from "../Json.ts"
import { Failed, Misused, show } from "../Output.ts"
import { makeTrustedKeys } from "./Keys.ts"
import { sha256 } from "./Walk.ts"

/** The maximum size of a proof: twice that of the largest that the service makes (`sealsMax`). */
const sizeMax = 64_000_000

/** The answer of the service begins with this. An export of the log has an object a line. */
const beginning = '{"data":'

const unreadable = (file: string) => (cause: unknown) =>
  new Misused({ message: `${file} cannot be read: ${describe(cause)}` })

/** Returns the text of a file that is a proof; none for an export of the log. */
export const readProof = (file: string) =>
  Effect.tryPromise({
    try: async () => {
      await using handle = await open(file)
      const { size } = await handle.stat()
      const { buffer } = await handle.read(new Uint8Array(beginning.length), 0, beginning.length, 0)
      if (new TextDecoder().decode(buffer) !== beginning) return Option.none()
      if (size > sizeMax) throw new Error(`a proof has at most ${sizeMax} bytes`)
      const whole = new Uint8Array(size)
      await handle.read(whole, 0, size, 0)
      return Option.some(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole))
    },
    catch: unreadable(file)
  })

/** The maximum number of keys that are read from a proof: a service has far fewer. */
const keysMax = 100

/** The public keys that a proof has. Unchecked: each counts only by a trusted kid. */
const KeysOf = Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ keys: Schema.Array(PublicKey) }) }))
const keysOf = Schema.decodeUnknownOption(KeysOf)

const sealedIn = ({ entries, records }: AnyProof) => ({
  records: records.length,
  sealedRecords: records.filter(({ coverage }) => coverage === "SEALED").length,
  entries: entries.length,
  sealedEntries: entries.filter(({ seal }) => seal !== null).length
})

/** What a proof says that no seal covers, one sentence each. */
const unsealedIn = ({ entries, people, records, remarks, seals }: AnyProof): ReadonlyArray<string> => {
  const days = new Map(seals.map(({ seal }) => [seal.number, new Date(seal.sealedAt).toISOString().slice(0, 10)]))
  const words = (seal: number | null) => ({
    SEALED_LATER: `sealed on ${days.get(seal ?? 0)}, long after it was written`,
    PENDING: "not sealed yet",
    NOT_SEALED: "not sealed"
  })
  return [
    ...records.flatMap(({ coverage, id, kind, seal, version }) =>
      coverage === "SEALED" ? [] : [`${kind} ${id}, version ${version}: ${words(seal)[coverage]}`]
    ),
    ...entries.flatMap(({ entry, seal }) => (seal === null ? [`entry ${entry.id}: not sealed yet`] : [])),
    ...(people.length === 0 ? [] : ["names of users"]),
    ...["name of the organization", "time zone of the organization, which decides the day"],
    ...remarks
  ]
}

/** The text of a proof, and the id of the organization that it must be of; null for any. */
interface Given {
  readonly file: string
  readonly text: string
  readonly tenant: string | null
}

/**
 * Checks a proof by trusted keys and prints what it shows. Fails with the part that was altered. All organizations of a
 * deployment share its keys, and anybody in one can give it any name: only the id tells them apart.
 */
export const verifyProof = Effect.fnUntraced(function* ({ file, tenant, text }: Given, trusted: ReadonlyArray<string>) {
  const keys = makeTrustedKeys(new Set(trusted))
  const stated = Option.match(keysOf(text), { onNone: () => [], onSome: ({ data }) => data.keys })
  for (const key of stated.filter(({ kid }) => trusted.includes(kid ?? "")).slice(0, keysMax)) yield* keys.add(key)
  const { isRecomputed, proof } = yield* Effect.mapError(
    checkProof(text, { seal: keys.verify, proof: keys.verifyProof }, sha256),
    ({ reason }) => new Failed({ code: "PROOF_REFUSED", message: `${file} proves nothing: ${reason}` })
  )
  const { asOf, cards, checks, erasedAt, madeAt, organization, seals, tenantId, workerId } = proof
  if (tenant !== null && tenant !== tenantId) {
    const message = `${file} is not of ${tenant}: it is of ${tenantId}, which calls itself ${JSON.stringify(organization)}`
    return yield* new Failed({ code: "PROOF_REFUSED", message })
  }
  yield* show(
    {
      ...{ organization, tenantId, workerId, name: cards[0]?.["displayName"] ?? null, asOf, madeAt, erasedAt },
      checks: checks.map((check) => ({
        check: check["complianceCheckId"] ?? null,
        result: check["result"] ?? null,
        sealed: isRecomputed ? check["isSealed"] === true : null
      })),
      ...sealedIn(proof),
      lastSealedAt:
        seals.length === 0 ? null : new Date(Math.max(...seals.map(({ seal }) => seal.sealedAt))).toISOString(),
      verdicts: isRecomputed
        ? "computed again from the records"
        : "not computed again: they follow rules of another version",
      notSealed: unsealedIn(proof),
      doesNotProve
    },
    yield* Json
  )
})
