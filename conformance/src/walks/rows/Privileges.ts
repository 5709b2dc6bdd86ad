import * as By from "./Callers.ts"
import type { Sweep } from "./Row.ts"
import * as W from "./Words.ts"

const judged = ["PRV-03", "PRV-04", "PRV-05", "PRV-06", "PRV-07", "PRV-09", "PRV-16", "PRV-17"] as const

/** The calls whose privilege §4.2 names, without reads of one resource. */
const plainly = W.plain.filter((way) => way !== "read")

const changes = {
  calls: ["read", "update", "absent", "no delete", "action", "batch", "delete"],
  impact: "mutate-own",
  needs: ["limited tokens"]
} as const

/** PRV: what a token may do. */
export const privileges: Sweep = {
  types: "guarded",
  target: "own",
  rows: [
    { rule: "PRV-01", calls: W.lists, by: By.withoutIt, is: W.forbidden },
    { rule: "PRV-01", calls: W.lists, of: "worker", sent: [W.byName], by: By.oneWithout, is: W.forbidden },
    { rule: "PRV-01", calls: ["read"], by: By.ifAny(By.inTurn(1, By.elsewhere)), is: W.forbidden },
    { rule: "PRV-02", calls: W.creates, by: By.without, is: W.forbidden, leaves: "PRV-09" },
    { rule: "PRV-03", calls: W.updates, by: By.without, is: W.forbidden, leaves: "PRV-09" },
    { rule: "PRV-03", calls: W.absent, by: By.oneWithout, is: W.notThere, leaves: "PRV-09" },
    { rule: "PRV-04", calls: W.deletes, by: By.without, is: W.forbidden, leaves: "PRV-09" },
    { rule: "PRV-04", calls: W.noDelete, by: By.oneWithout, is: W.notThere, leaves: "PRV-09" },
    { rule: "PRV-05", calls: W.plain, by: By.anotherAlone, is: W.forbidden, leaves: "PRV-09" },
    { rule: "PRV-05", calls: W.plain, by: By.alone(), is: W.accepted },
    // a list and a single resource need the same privilege, so they share the callers
    { rule: "PRV-06", calls: ["read"], by: By.inTurn(1, By.elsewhere), is: W.forbidden },
    { rule: "PRV-06", calls: W.updates, by: By.inTurn(2, By.elsewhere), is: W.forbidden, leaves: "PRV-09" },
    { rule: "PRV-06", calls: plainly, by: By.elsewhereAlone, is: W.forbidden, leaves: "PRV-09" },
    {
      rule: "PRV-07",
      calls: [...W.creates, ...W.updates],
      sent: [W.brokenBody, W.listBody],
      isInTurn: true,
      by: By.oneWithout,
      is: W.forbidden,
      leaves: "PRV-09"
    },
    {
      rule: "PRV-07",
      calls: W.actions,
      sent: [W.brokenBody],
      by: By.ifAny(By.inTurn(1, By.withNothingOn)),
      is: W.forbidden,
      leaves: "PRV-16"
    },
    { rule: "PRV-08", calls: W.lists, sent: [W.ofNoForm], by: By.oneWithout, is: W.forbidden },
    { rule: "PRV-08", calls: plainly, sent: [W.ofNobody], by: By.oneWithout, is: W.forbidden },
    { rule: "PRV-08", calls: ["read"], sent: [W.ofNobody], by: By.ifAny(By.oneWithout), is: W.forbidden },
    {
      rule: "PRV-08",
      calls: W.actions,
      sent: [W.ofNobody],
      by: By.ifAny(By.inTurn(1, By.withNothingOn)),
      is: W.forbidden,
      leaves: "PRV-16"
    },
    {
      rule: "PRV-11",
      calls: [...W.lists, ...W.creates, ...W.updates, ...W.deletes],
      by: By.reissued,
      is: W.forbidden,
      leaves: "PRV-09"
    },
    { rule: "PRV-16", calls: W.actions, by: By.withNothingOn, is: W.forbidden },
    { rule: "PRV-17", calls: W.actions, by: By.alone("READ"), is: W.forbidden }
  ],
  answers: [{ rule: "PRV-10", status: 403, is: W.saysWho }],
  walks: [
    {
      name: "privileges/lists",
      calls: ["list"],
      judges: ["PRV-01", "PRV-08", "PRV-10"],
      impact: "read",
      needs: ["limited tokens"]
    },
    {
      name: "privileges/creates",
      calls: ["create"],
      judges: ["PRV-02", "PRV-10"],
      impact: "create",
      needs: ["limited tokens", "credential body"]
    },
    { name: "privileges/calls-of-others", of: "others", judges: ["PRV-10"], open: judged, ...changes },
    {
      name: "privileges/calls",
      of: "documented",
      judges: [...judged, "PRV-10"],
      ...changes,
      alsoNeeds: {
        "PRV-03": ["write paths"],
        "PRV-04": ["delete paths"],
        "PRV-05": ["write paths", "delete paths", "credential body"],
        "PRV-06": ["credential body"],
        "PRV-07": ["write paths"],
        "PRV-09": ["write paths"],
        "PRV-16": ["credential body"],
        "PRV-17": ["credential body"]
      }
    }
  ]
}
