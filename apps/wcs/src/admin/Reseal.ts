import type { AdminClient } from "@wcs/admin/AdminClient"
import { type SealedKind, sealedKinds, staysSealed } from "@wcs/domain/service/SealedKind"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "../Json.ts"
import { operate } from "../Operating.ts"
import { Failed, show } from "../Output.ts"

/** Signing keys have no tenant. */
const noTenant = [""]

/** Seals all secrets of a kind under the current master key, batch by batch. */
const resealKind = Effect.fnUntraced(function* (
  client: AdminClient,
  kind: SealedKind,
  tenantIds: ReadonlyArray<string>
) {
  let resealed = 0
  const unreadable: Array<string> = []
  for (const tenantId of tenantIds) {
    for (let after: string | null = null; ; ) {
      const batch: Effect.Success<ReturnType<typeof client.resealSecrets>> = yield* client.resealSecrets({
        payload: { kind, tenantId, after }
      })
      resealed += batch.resealed
      unreadable.push(...batch.unreadable)
      if (batch.next === null) break
      after = batch.next
    }
  }
  return { kind, resealed, unreadable }
})

const reseal = Effect.fnUntraced(function* (client: AdminClient) {
  const { tenants } = yield* client.listTenants()
  const ofTenants = tenants.map(({ id }) => id)
  const done: Array<Effect.Success<ReturnType<typeof resealKind>>> = []
  for (const kind of sealedKinds) {
    if (staysSealed(kind, done.flatMap(({ unreadable }) => unreadable).length)) continue
    done.push(yield* resealKind(client, kind, kind === "signingKey" ? noTenant : ofTenants))
  }
  return done
})

export const resealSecrets = Command.make(
  "reseal",
  {},
  Effect.fnUntraced(function* () {
    const done = yield* operate(reseal)
    const unreadable = done.flatMap((kind) => kind.unreadable)
    yield* show({ secrets: done.map(({ kind, resealed }) => ({ kind, resealed })) }, yield* Json)
    const [first] = unreadable
    if (first === undefined) return
    return yield* new Failed({
      code: "UNREADABLE",
      message:
        `the master key file has no key for ${unreadable.length} secrets, such as the ${first}; ` +
        "add their key as its second line, restart the server and repeat the command"
    })
  })
).pipe(Command.withDescription("Seal all stored secrets under the current master key, while servers run"))
