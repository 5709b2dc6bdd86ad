import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect } from "effect"
import { at, reviewed, Service, tokenOf, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { person as legacyPerson, login, send } from "../legacy/LegacySurface.ts"
import { dataOf, idsOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

/** A logged-in administrator, who also has a token. */
const administrator = Effect.fnUntraced(function* () {
  const { session } = yield* Service
  const user = yield* tokenOf("Super Admin")
  const id = accountIdOf(user.urn)
  return { ...user, id, by: { as: null, headers: (yield* session(id)).headers } }
})

layer(layerService(), { excludeTestServices: true })("R13, threat 59: a user who is a worker", (it) => {
  it.effect("cannot verify or decide on the own cards, which is audited; others can, also about others' cards", () =>
    Effect.gen(function* () {
      const [ann, admin] = [yield* administrator(), yield* administrator()]
      const [own, other] = [yield* worker(), yield* worker()]
      const card = yield* verified({ worker: own })
      const inReview = yield* verified({ worker: own }, reviewed, "QUEUED_MANUAL")
      const foreign = yield* verified({ worker: other })
      const issuedOn = dayAt(yield* Effect.flatMap(Service, ({ now }) => now), defaultTimeZone)
      const notice = { statusDetail: "VALID", issuedOn, reference: "letter" }
      const calls = [
        { call: `POST /credentials/${card}/verify`, body: { forceRefresh: true } },
        { call: `POST /credentials/${card}/verify` },
        { call: `POST /credentials/${inReview}/review`, body: { statusDetail: "VALID" } },
        { call: `POST /credentials/${inReview}/notices`, body: notice },
        {
          call: `POST /credentials/${card}/decisions`,
          body: { outcome: "MAY_ENGAGE", reason: "own", endsOn: issuedOn }
        }
      ]
      const refused = "UNPROCESSABLE: Nobody verifies themself"
      yield* Row.run([
        { call: `PATCH /users/${ann.id}`, ...admin.by, body: { worker: { id: own } }, expect: 200 },
        ...calls.flatMap((call) => [ann.by, { as: ann.token }].map((by) => ({ ...call, ...by, expect: refused }))),
        {
          call: `POST /credentials/${foreign}/verify`,
          ...ann.by,
          body: {},
          expect: { "data.eligibility": "MAY_ENGAGE" }
        },
        { call: `GET /credentials/${card}/decidable`, ...ann.by, expect: { "data.outcomes": [] } },
        { call: `GET /credentials/${card}/verifications`, expect: { "data.1": undefined } },
        {
          call: `GET /credentials/${inReview}/verifications`,
          expect: { "data.1": undefined, "data.0.verifiedAt": null }
        }
      ])
      const [entries] = yield* Row.run([{ call: `GET /audit-events?account=${ann.urn}&pageSize=100`, expect: 200 }])
      const actions = dataOf(entries)
        .map(Object)
        .map(({ action, entityId }) => `${action} ${entityId}`)
      const twice = (action: string) => [action, action]
      assert.sameMembers(actions, [
        ...[...twice(`verify refused ${card}`), ...twice(`verify refused ${card}`)],
        ...[...twice(`review refused ${inReview}`), ...twice(`notice refused ${inReview}`)],
        ...twice(`decide refused ${card}`),
        `verify ${foreign}`
      ])
      yield* Row.run([
        ...calls.slice(0, 3).map((call) => ({ ...call, ...admin.by, expect: 200 })),
        { call: `PATCH /users/${ann.id}`, ...admin.by, body: { worker: null }, expect: { "data.worker": null } },
        { call: `POST /credentials/${card}/verify`, ...ann.by, body: {}, expect: 200 }
      ])
    })
  )

  it.effect("is shown with the link, which must name a living worker and which no user can remove from themself", () =>
    Effect.gen(function* () {
      const [ann, admin] = [yield* administrator(), yield* administrator()]
      const [own, gone] = [yield* worker(), yield* worker()]
      const call = `PATCH /users/${ann.id}`
      const link = (id: string) => ({ worker: { id } })
      yield* Row.run([
        { call: `DELETE /workers/${gone}`, expect: 204 },
        { call: "GET /me", ...ann.by, expect: { "data.worker": null } },
        { call, ...admin.by, body: link(gone), expect: "UNPROCESSABLE: worker.id" },
        { call, ...admin.by, body: link("wkr_0000000000000000"), expect: "UNPROCESSABLE: worker.id" },
        { call, ...admin.by, body: link("nonsense"), expect: "INVALID_ARGUMENT: worker.id" },
        { call, ...ann.by, body: link(own), expect: { "data.worker": { id: own } } },
        { call, ...ann.by, body: { worker: null }, expect: `UNPROCESSABLE: ${own}` },
        { call, ...ann.by, body: { surname: "Ng" }, expect: { "data.worker": { id: own } } },
        { call: `GET /users/${ann.id}`, ...admin.by, expect: { "data.worker": { id: own } } },
        { call: "GET /me", ...ann.by, expect: { "data.worker": { id: own } } },
        { call: "GET /me", as: ann.token, expect: { "data.worker": { id: own } } }
      ])
    })
  )

  it.effect("starts nothing by scanning the own card on the legacy surface", () =>
    Effect.gen(function* () {
      const [admin, ann] = [yield* administrator(), yield* legacyPerson()]
      const { bearer } = yield* login(ann)
      const [own, identifier] = [yield* worker(), "WWC1234568V"]
      const card = yield* verified({ worker: own }, { ...verifiable, identifier })
      const [found] = yield* Row.run([{ call: `GET /users?query=${ann.email}`, ...admin.by, expect: 200 }])
      yield* Row.run([
        { call: `PATCH /users/${idsOf(found)[0]}`, ...admin.by, body: { worker: { id: own } }, expect: 200 }
      ])
      const body = { type: "wwcc-nsw", identifier, first_name: "Ann", surname: "Example" }
      assert.strictEqual(at(yield* send("POST", "/scan", bearer, { body }), "status"), "unmatched")
      yield* Row.run([{ call: `GET /credentials/${card}/verifications`, expect: { "data.1": undefined } }])
    })
  )
})
