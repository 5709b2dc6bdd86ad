import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { OwnerMismatch, type OwnerReference } from "@wcs/domain/ownership/Ownership"
import { Clock, Effect, Result } from "effect"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import { batches, because, deciding, losing } from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const slot = (type: "worker" | "applicant") => `body.data.attributes.owners.${type}`

/** Every second transfer of a credential is accepted but not stored. */
const secondTransferIsLost = () => {
  const transferred = new Map<string, number>()
  return losing(({ action, changes }) => {
    if (action !== "transfer" || changes.size === 0) return false
    const [id = ""] = changes.keys()
    transferred.set(id, (transferred.get(id) ?? 0) + 1)
    return (transferred.get(id) ?? 0) % 2 === 0
  })
}

/** A transfer of one credential moves all credentials of the owner, as with a query by owner only. */
const allOfTheOwnerMove = Seams.store(OwnershipStore, ({ transition }) => ({
  transition: (tenantId, chosen, entering, decide) =>
    Effect.gen(function* () {
      let moved: { readonly from: OwnerReference; readonly to: string } | undefined
      const done = yield* transition(tenantId, chosen, entering, (found, facts) =>
        Result.map(decide(found, facts), (made) => {
          const [one] = found
          const to = one && made.changes.get(one.id)?.worker
          const isMove = made.records.audit[0]?.action === "transfer" && one?.owners.worker !== to
          moved =
            isMove && one?.owners.worker && to ? { from: { type: "worker", id: one.owners.worker }, to } : undefined
          return made
        })
      )
      if (moved === undefined) return done
      const { from, to } = moved
      const at = yield* Clock.currentTimeMillis
      yield* transition(tenantId, { _tag: "HeldBy", owner: from, limit: 500 }, undefined, (found) => {
        const changes = new Map(found.map(({ id, owners }) => [id, { ...owners, worker: to }] as const))
        return Result.succeed({ answer: undefined, changes, records: noRecords, at })
      })
      return done
    })
}))

/** An unlinked applicant cannot be linked again, as if its deleted row still counted. */
const onceOutForEver = (serve: Serve): Serve => {
  const gone = new Set<string>()
  const [unlink, link] = [/^(\/credentials\/cred_[^/]+)\/unlink$/, /^(\/credentials\/cred_[^/]+)\/link$/]
  const keyOf = (path: string, form: RegExp, body: string): string =>
    `${form.exec(path)?.[1]} ${/app_\w+/.exec(body)?.[0] ?? "nobody"}`
  return Rewrite.all(
    Rewrite.answers({ method: "POST", path: unlink, status: 200, body: /app_/ }, (answer, request) => {
      gone.add(keyOf(Rewrite.pathOf(request), unlink, request.body))
      return answer
    }),
    Rewrite.instead({ method: "POST", path: link, body: /app_/ }, (request, inner) =>
      gone.has(keyOf(Rewrite.pathOf(request), link, request.body))
        ? Effect.map(
            inner({ ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" }),
            (answer) => Answering.refusal(answer, 409, "ALREADY_LINKED", "It was linked before; transfer it.")
          )
        : inner(request)
    )
  )(serve)
}

/** Unlinking a stranger is a no-op the first time and a mismatch the second. */
const nowSoNowSo = () => {
  let count = 0
  return deciding("Unlink", (owners, { from }) => {
    const holder = owners[from.type]
    if (holder === null || holder === from.id) return undefined
    count += 1
    return count % 2 === 1 ? { _tag: "Unchanged" } : because(new OwnerMismatch({ slot: from.type, holder }))
  })
}

/** Defects of ownership that depend on earlier calls or other credentials. */
export const ownershipSequenceMutants: ReadonlyArray<Mutant> = [
  mutant("every-second-transfer-is-lost", `OWN-21 wrong-value at ${slot("worker")}`).stores(secondTransferIsLost()),
  mutant("transfer-moves-everything-that-the-owner-has", `OWN-21 changed at ${slot("worker")}`).stores(
    allOfTheOwnerMove
  ),
  mutant("an-applicant-who-was-unlinked-is-never-linked-again", "OWN-21 status").rewrite(onceOutForEver),
  mutant("bulk-transfer-writes-one-slot-and-empties-the-other", `OWN-21 wrong-value at ${slot("worker")}`).rules(
    batches((batch, command) =>
      command._tag === "Transfer"
        ? {
            ...batch,
            changes: new Map(
              [...batch.changes].map(([id, owners]) => [
                id,
                { worker: null, applicant: null, [command.to.type]: owners[command.to.type] }
              ])
            )
          }
        : batch
    )
  ),
  mutant("unlinking-a-stranger-is-now-nothing-and-now-a-conflict", "OWN-21 status").rules(nowSoNowSo())
]
