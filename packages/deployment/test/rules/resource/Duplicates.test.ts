import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { credential, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { run } from "../Row.ts"

const sameId = "has the same source.externalId: both may be the same person"
const sameName = "has the same name and birth date: both may be the same person"

layer(layerService(), { excludeTestServices: true })("a new worker who may exist already", (it) => {
  it.effect("is created with a warning about the external id, or the name in any order with the birth date", () =>
    Effect.gen(function* () {
      const identity = { displayName: "Zoë Twice", birthDate: "1990-04-17" }
      const first = yield* worker({ identity, source: { externalId: "twice-1", sourceSystem: "payroll" } })
      const added = (as: string | undefined, body: unknown, ...warnings: ReadonlyArray<string>) =>
        run([
          {
            call: "POST /workers",
            body,
            ...(as === undefined ? {} : { as }),
            expect: { "meta.warnings": warnings.length === 0 ? undefined : warnings }
          }
        ])
      const other = { displayName: "Somebody Else" }
      yield* added(undefined, { identity: { ...identity, birthDate: "1990-04-18" } })
      yield* added(undefined, { identity: { displayName: identity.displayName } })
      yield* added(undefined, { identity: other, source: { externalId: "twice-1", sourceSystem: "rostering" } })
      const { token: blind } = yield* tokenOf(["worker:CREATE"])
      const again = { identity: { ...identity, displayName: "TWICE, Zoe" } }
      yield* added(blind, { identity: other, source: { externalId: "twice-1", sourceSystem: "payroll" } })
      const [answer] = yield* added(undefined, again, `${first} ${sameName}`)
      const id = Object(JSON.parse(answer.text)).data.id
      yield* run([{ call: `DELETE /workers/${id}`, expect: 204 }])
      yield* run([{ call: `DELETE /workers/${first}`, expect: 204 }])
      yield* added(undefined, again)
    })
  )

  it.effect("is created with the external id of another in a warning", () =>
    Effect.gen(function* () {
      const source = { externalId: "twice-2" }
      const first = yield* worker({ source })
      const body = { identity: { displayName: "Somebody Else" }, source }
      yield* run([{ call: "POST /workers", body, expect: { "meta.warnings": [`${first} ${sameId}`] } }])
    })
  )

  it.effect("is named when a card of the same number is created for another worker", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* worker(), yield* worker()]
      const card = { credentialType: "FIRST_AID", identifier: "FA 77-01" }
      yield* credential({ worker: one }, card)
      const again = (owner: string, identifier: string) => ({
        attributes: { credentialType: "FIRST_AID", identifier, owners: { worker: owner } }
      })
      const warning = `${one} has a FIRST_AID with the same number: both may be the same person`
      const { token: blind } = yield* tokenOf(["credential:CREATE", "credential:READ"])
      yield* run([
        { call: "POST /credentials", body: again(one, "fa7701"), expect: { "meta.warnings": undefined } },
        { call: "POST /credentials", body: again(other, "FA7702"), expect: { "meta.warnings": undefined } },
        { call: "POST /credentials", as: blind, body: again(other, "fa7701"), expect: { "meta.warnings": undefined } },
        { call: "POST /credentials", body: again(yield* worker(), "fa7701"), expect: { "meta.warnings.0": warning } }
      ])
    })
  )
})
