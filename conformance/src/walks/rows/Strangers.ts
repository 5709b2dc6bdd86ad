import { hasNoCode, saysUnauthorized } from "../../exchanges/Refusals.ts"
import * as Expect from "../../judgement/Expect.ts"
import * as By from "./Callers.ts"
import { asShown, type Sweep } from "./Row.ts"
import * as W from "./Words.ts"

const changes = {
  calls: ["read", "create", "update", "action", "batch", "delete"],
  impact: "mutate-own",
  needs: []
} as const

const ofContent = { calls: [...W.creates, ...W.updates, ...W.actions], isOfContent: true } as const
const bodied = { ...ofContent, isInTurn: true } as const
const wrongType = { sent: [W.numberAsName], isOfContent: true } as const
const aWord = { sent: [W.ofAWord, W.ofAnotherGroup], isOfContent: true } as const
const nobody = { sent: [W.ofNobodyGiven], isOfContent: true } as const

/** AUT, TRN, ENV: calls that must be refused, for their caller or for their content. */
export const strangers: Sweep = {
  types: "all",
  target: "lent",
  rows: [
    { rule: "AUT-01", calls: W.every, sent: [asShown, W.onePage, W.byName], by: By.nobody, is: W.unauthorized },
    { rule: "AUT-01", calls: W.lists, by: By.inTheQuery, is: W.unauthorized },
    { rule: "AUT-01", calls: W.lists, of: "worker", by: By.misplaced, is: W.unauthorized },
    { rule: "AUT-01", calls: W.creates, of: "worker", by: By.inTheBody, is: W.unauthorized },
    { rule: "AUT-02", calls: W.every, by: By.inTurn(2, By.otherScheme), is: W.unauthorized },
    { rule: "AUT-02", calls: W.lists, of: "worker", by: By.clientByBasic, is: W.unauthorized },
    { rule: "AUT-04", calls: W.lists, of: "worker", by: By.noise, is: W.unauthorized },
    { rule: "AUT-04", calls: W.lists, of: "worker", by: By.forgedOfEachKind, is: W.unauthorized },
    { rule: "AUT-04", calls: W.every, by: By.inTurn(2, By.forged), is: W.unauthorized },
    { rule: "AUT-05", calls: W.every, sent: [asShown, W.onePage], by: By.expired, is: W.unauthorized },
    { rule: "AUT-12", calls: W.every, sent: [asShown, W.onePage], by: By.revoked, is: W.unauthorized },
    { rule: "TRN-02", calls: W.every, by: By.byPlainHttp, is: W.turned },
    {
      rule: "ENV-04",
      ...bodied,
      sent: W.ofCredentials(W.brokenJson.slice(0, 2), false),
      by: By.valid(0),
      is: W.badRequest
    },
    { rule: "ENV-04", ...ofContent, sent: W.ofCredentials(W.brokenJson), by: By.valid(0), is: W.badRequest },
    { rule: "ENV-06", calls: W.updates, of: "worker", ...wrongType, by: By.valid(1), is: W.badRequest },
    { rule: "ENV-08", calls: ["read"], ...aWord, by: By.valid(2), is: W.malformed },
    { rule: "ENV-08", calls: [...W.updates, "action"], ...aWord, by: By.valid(1), is: W.malformed },
    { rule: "ENV-08", calls: W.deletes, ...aWord, by: By.valid(1), is: W.anyhow },
    { rule: "TRN-08", ...bodied, sent: W.forms, by: By.valid(2), is: W.rejected },
    { rule: "ENV-09", calls: ["read"], ...nobody, by: By.valid(0), is: W.unknown },
    { rule: "ENV-09", calls: W.updates, ...nobody, by: By.valid(0), is: W.unknown },
    // it may be a no-op
    { rule: "ENV-09", calls: W.deletes, ...nobody, by: By.valid(3), is: W.anyhow }
  ],
  answers: [
    { rule: "AUT-06", status: 401, is: saysUnauthorized },
    { rule: "AUT-07", status: 401, is: hasNoCode },
    { rule: "ENV-12", status: 500, is: (exchange) => Expect.family(exchange, 1, 2, 3, 4) }
  ],
  walks: [
    {
      name: "strangers/lists",
      calls: ["list"],
      judges: ["AUT-01", "AUT-02", "AUT-04", "AUT-06", "AUT-07"],
      impact: "read",
      needs: []
    },
    {
      name: "strangers/calls",
      of: "documented",
      judges: ["AUT-01", "AUT-06", "AUT-07", "ENV-04", "TRN-08"],
      ...changes
    },
    {
      name: "strangers/calls-of-others",
      of: "others",
      judges: ["AUT-06", "AUT-07"],
      open: ["AUT-01", "ENV-04", "TRN-08"],
      ...changes
    }
  ]
}
