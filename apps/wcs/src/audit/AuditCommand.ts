import type { AdminClient } from "@wcs/admin/AdminClient"
import {
  compareEnd,
  compareSeal,
  compareUnsealed,
  describe,
  type Fault,
  reasons
} from "@wcs/domain/audit/AuditVerification"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { Array as Arr, Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { required } from "../admin/Flags.ts"
import { Json } from "../Json.ts"
import { operate, type Refusal } from "../Operating.ts"
import { Failed, Misused, show } from "../Output.ts"
import { type ExportedLog, readExport, writeExport } from "./ExportFile.ts"
import { makeDeploymentKeys, makeTrustedKeys, type Verify } from "./Keys.ts"
import { eachEntry, type Log, sha256, type Verified, walk } from "./Walk.ts"

const tenant = required("tenant", "Name or id of one tenant. Default: all tenants and the deployment itself").pipe(
  Flag.optional,
  Flag.map(Option.getOrNull)
)

/** The number of exported entries that one comparison covers. */
const comparedMax = 256

const rowOf = ({ end, fault, log, sealed, unsealed }: Verified) => ({
  tenant: log.name,
  id: log.id,
  seals: end.number,
  sealed,
  unsealed,
  batch: fault?.batch ?? null,
  entry: fault?.entry ?? null,
  fault: fault === undefined ? null : reasons[fault.reason]
})

/** The failure of a log with a fault. Names the tenant, the batch and the entry. */
const altered = ({ log }: Verified, fault: Fault) =>
  new Failed({ code: "AUDIT_ALTERED", message: `the audit log of ${log.name} was altered at ${describe(fault)}` })

/** Prints the result of a verification. Fails with the first fault. */
const conclude = Effect.fnUntraced(function* (found: ReadonlyArray<Verified>) {
  yield* show({ tenants: found.map(rowOf) }, yield* Json)
  for (const verified of found) if (verified.fault !== undefined) return yield* altered(verified, verified.fault)
})

/** Compares exported entries without a seal with those that the deployment has now. */
const compareTail = Effect.fnUntraced(function* (client: AdminClient, { unsealed, verified }: ExportedLog) {
  for (const chunk of Arr.chunksOf(unsealed, comparedMax)) {
    const [after, upTo] = [(chunk[0]?.position ?? 0) - 1, chunk.at(-1)?.position ?? 0]
    const found: Array<LoggedEntry> = []
    yield* eachEntry(client, verified.log, { after, upTo }, (entries) => Effect.sync(() => void found.push(...entries)))
    const fault = compareUnsealed(chunk, found)
    if (fault !== undefined) return fault
  }
  return undefined
})

/** Verifies the log of a deployment, and compares it with an export if there is one. */
const verifyLive = Effect.fnUntraced(function* (
  client: AdminClient,
  log: Log,
  verify: Verify<Refusal>,
  exported: ExportedLog | undefined
): Effect.fn.Return<Verified, Refusal> {
  const verified = yield* walk(client, log, verify, {
    batch: ({ seal }) => Effect.succeed(exported === undefined ? undefined : compareSeal(exported.seals, seal, sha256)),
    unsealed: () => Effect.void
  })
  if (exported === undefined || verified.fault !== undefined) return verified
  const fault = compareEnd(exported.seals, verified.end) ?? (yield* compareTail(client, exported))
  return { ...verified, fault }
})

const verifyDeployment = Effect.fnUntraced(function* (
  client: AdminClient,
  tenant: string | null,
  against: Option.Option<string>
) {
  const { tenants } = yield* client.listAuditLogs({ payload: { tenant } })
  const { verify } = yield* makeDeploymentKeys(client)
  const exported = Option.isNone(against) ? [] : yield* readExport(against.value, { addKey: () => Effect.void, verify })
  const bad = exported.map(({ verified }) => verified).find(({ fault }) => fault !== undefined)
  if (bad?.fault !== undefined) {
    const message = `the export was altered: ${bad.log.name}, ${describe(bad.fault)}`
    return yield* new Failed({ code: "AUDIT_ALTERED", message })
  }
  const gone = exported.map(({ verified }) => verified.log).filter(({ id }) => !tenants.some((log) => log.id === id))
  const logs = tenant === null ? [...tenants, ...gone] : tenants
  return yield* Effect.forEach(logs, (log) =>
    verifyLive(
      client,
      log,
      verify,
      exported.find(({ verified }) => verified.log.id === log.id)
    )
  )
})

const verifyFile = Effect.fnUntraced(function* (file: string, trusted: ReadonlyArray<string>) {
  const keys = makeTrustedKeys(new Set(trusted))
  const logs = yield* readExport(file, { addKey: keys.add, verify: keys.verify })
  return logs.map(({ verified }) => verified)
})

const verify = Command.make(
  "verify",
  {
    tenant,
    against: required("against", "Also find seals and entries of this earlier export that are missing now").pipe(
      Flag.optional
    ),
    file: required("file", "Verify this export, or this proof, without a deployment").pipe(Flag.optional),
    keys: required("key", "With --file: --key=ID of a trusted key, as wcs audit keys prints it; can be repeated").pipe(
      Flag.withMetavar("kid"),
      Flag.atLeast(0)
    )
  },
  Effect.fnUntraced(function* ({ against, file, keys, tenant }) {
    if (Option.isSome(file) !== keys.length > 0) {
      return yield* new Misused({ message: "verify needs --file and --key together, or neither of them" })
    }
    if (Option.isSome(file) && Option.isSome(against)) {
      return yield* new Misused({ message: "verify --file needs no deployment: omit --against" })
    }
    if (Option.isSome(file)) {
      // Imported here, because no other command needs the rules.
      const { readProof, verifyProof } = yield* Effect.promise(() => import("./ProofCommand.ts"))
      const proof = yield* readProof(file.value)
      if (Option.isSome(proof)) return yield* verifyProof({ file: file.value, text: proof.value, tenant }, keys)
      if (tenant !== null) {
        return yield* new Misused({ message: "an export has every tenant: omit --tenant, which is for proofs" })
      }
    }
    yield* conclude(
      Option.isSome(file)
        ? yield* verifyFile(file.value, keys)
        : yield* operate((client) => verifyDeployment(client, tenant, against))
    )
  })
).pipe(
  Command.withDescription(
    "Verify the audit log against its seals. Names the first altered batch and entry of each tenant, and then exits with 1"
  )
)

const exportLog = Command.make(
  "export",
  { tenant, out: required("out", "The file to create, with one JSON object per line") },
  Effect.fnUntraced(function* ({ out, tenant }) {
    const written = yield* operate((client) =>
      writeExport(
        out,
        Effect.fnUntraced(function* (writer) {
          const { keyOf, verify } = yield* makeDeploymentKeys(client)
          const { tenants } = yield* client.listAuditLogs({ payload: { tenant } })
          yield* writer.begin(toRfc3339(yield* Clock.currentTimeMillis))
          const total = { seals: 0, sealed: 0, unsealed: 0 }
          for (const log of tenants) {
            yield* writer.write([{ log }])
            const verified = yield* walk(client, log, verify, {
              batch: (batch) => Effect.as(writer.batch(batch, keyOf(batch.seal.signature)), undefined),
              unsealed: (entries) => writer.write(entries.map((entry) => ({ entry })))
            })
            if (verified.fault !== undefined) return yield* altered(verified, verified.fault)
            total.seals += verified.end.number
            total.sealed += verified.sealed
            total.unsealed += verified.unsealed
          }
          yield* writer.end()
          return { file: out, tenants: tenants.length, ...total, keys: writer.kids }
        })
      )
    )
    yield* show(written, yield* Json)
  })
).pipe(
  Command.withDescription(
    "Verify the audit log and write its entries, seals and public keys to a file. Keep the file and the ids of the keys elsewhere"
  )
)

const listKeys = Command.make("keys", {}, () =>
  Effect.gen(function* () {
    const { keys } = yield* operate((client) => client.auditKeys())
    yield* show({ keys: keys.map((key) => key["kid"] ?? "") }, yield* Json)
  })
).pipe(
  Command.withDescription(
    "Print the ids of the keys that sign the audit log and proofs, newest first. Give them to auditors"
  )
)

/** `wcs audit`: finds tampering with the audit log. */
export const audit = Command.make("audit").pipe(
  Command.withDescription("Verify and export the audit log, and verify proofs"),
  Command.withSubcommands([verify, exportLog, listKeys])
)
