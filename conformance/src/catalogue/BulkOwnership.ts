import type { Rule } from "./Rule.ts"

/** BLK: bulk link and bulk transfer. */
export const bulkOwnership = [
  {
    id: "BLK-01",
    sections: ["2.2", "4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "bulk link body"],
    text: "Bulk link is 200 with a list of items in `data`. `meta` has `total`, `succeeded`, `failed` and `requestId`."
  },
  {
    id: "BLK-02",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Bulk transfer is 200 in the same shape as bulk link."
  },
  {
    id: "BLK-03",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text:
      "An item has a `credentialId`, a `status` (`linked`, `transferred`, `noop` or `skipped`) and optionally an " +
      "`error`."
  },
  {
    id: "BLK-04",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "bulk link body", "applicant"],
    text:
      "Bulk link reports `linked` for an empty slot and `noop` for a slot that holds the same owner. For a slot " +
      "with another owner it reports `skipped` with `ALREADY_LINKED`."
  },
  {
    id: "BLK-05",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text:
      "Bulk transfer reports `transferred` if `from` owns the slot and `noop` if `to` already does. With another " +
      "owner it reports `skipped` with `OWNER_MISMATCH`. (A `from` that never held the slot: SIL-07.)"
  },
  {
    id: "BLK-06",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A skipped item has an `error` with `code` and `message`. Other items have none."
  },
  {
    id: "BLK-07",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "`meta.total`, `meta.succeeded` and `meta.failed` are non-negative integers. `total` is the number of items."
  },
  {
    id: "BLK-08",
    sections: ["4.2", "8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A batch of 500 ids is accepted."
  },
  {
    id: "BLK-09",
    sections: ["4.2", "8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A batch of 501 ids is a 4xx and changes nothing."
  },
  {
    id: "BLK-10",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A bulk transfer without `credentialIds` covers all credentials that `from` owns."
  },
  {
    id: "BLK-11",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "bulk link body"],
    text: "A bulk link without `credentialIds` covers all credentials that are linked to `from`."
  },
  {
    id: "BLK-12",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A batch is never 409 as a whole. It is 200 even if every item conflicts."
  },
  {
    id: "BLK-13",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "An unknown credential is a skipped item and does not fail the batch."
  },
  {
    id: "BLK-14",
    sections: ["7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A skipped item does not stop other items."
  },
  {
    id: "BLK-15",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "After a batch, the slots of each credential match its item."
  },
  {
    id: "BLK-16",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A repeated bulk transfer with `credentialIds` reports `noop` for every item."
  },
  {
    id: "BLK-17",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "create",
    needs: ["credential body", "bulk fetch request"],
    text: "The bulk fetch request is 200. A failed item has `success: false` and a plain string in `error`."
  },
  {
    id: "BLK-18",
    sections: ["2.2"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "`meta.failed` is the number of skipped items. `meta.succeeded` is the number of all other items."
  }
] as const satisfies ReadonlyArray<Rule>
