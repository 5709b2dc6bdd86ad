import type { Rule } from "./Rule.ts"

/** BLK: ownership of many credentials at once. */
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
    text:
      "Bulk link is 200: a list of items in `data`, and in `meta` the fields `total`, `succeeded`, `failed` and " +
      "`requestId`."
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
    text: "Bulk transfer is 200, in the same shape."
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
      "Each item has a `credentialId` and a `status` out of `linked`, `transferred`, `noop` and `skipped`, and may " +
      "have an `error`."
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
      "In a bulk link an empty slot gives `linked`, a slot with the same holder `noop`, and one with another holder " +
      "`skipped` with `ALREADY_LINKED`."
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
      "In a bulk transfer the holder as `from` gives `transferred`, the holder as `to` gives `noop`, and a stranger " +
      "as `from` gives `skipped` with `OWNER_MISMATCH`. (A `from` that never held it: SIL-07.)"
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
    text: "An item that was skipped has an `error` of `code` and `message`; no other item has one."
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
    text: "The three numbers in `meta` are whole and not negative, and `total` counts the items."
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
    text: "A batch of 500 ids is taken."
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
    text: "A batch of 501 ids is a 4xx, and changes nothing."
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
    text: "A bulk transfer that names no credentials moves every one that `from` owns."
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
    text: "A bulk link that names no credentials works on every one that `from` is linked to."
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
    text: "A batch is never 409 as a whole: with a conflict in each and every item it is 200."
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
    text: "A credential that does not exist is an item that was skipped; the batch goes through."
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
    text: "Skipping one item keeps no other from being done."
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
    text: "What the slots hold after a batch is what the item of each credential reports."
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
    text: "Said a second time, a bulk transfer with its credentials named is `noop` for all of them."
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
    text:
      "The bulk fetch request is 200, and an item of it that failed has `success: false` and in `error` a bare " +
      "string."
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
    text: "`meta.failed` counts the items that were skipped, `meta.succeeded` all others."
  }
] as const satisfies ReadonlyArray<Rule>
