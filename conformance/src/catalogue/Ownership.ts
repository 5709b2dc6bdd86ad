import type { Rule } from "./Rule.ts"

/** OWN: ownership of one credential. */
export const ownership = [
  {
    id: "OWN-01",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "Linking a worker into an empty worker slot is 200, and the slot holds that worker."
  },
  {
    id: "OWN-02",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text:
      "Linking an applicant into an empty applicant slot is 200, and the slot holds that applicant. The worker " +
      "slot is unchanged."
  },
  {
    id: "OWN-03",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Linking the owner that the slot already holds is 200 and changes nothing."
  },
  {
    id: "OWN-04",
    sections: ["3", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Linking another owner into an occupied slot is 409 `ALREADY_LINKED`. The slot is unchanged."
  },
  {
    id: "OWN-05",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "The message of a 409 `ALREADY_LINKED` advises using transfer. A different text is only a warning (§9)."
  },
  {
    id: "OWN-06",
    sections: ["3"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "An owner reference whose type and id disagree (`worker` with an `app_` id) is a 4xx."
  },
  {
    id: "OWN-07",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "A transfer whose `from` is the current owner is 200, and the slot then holds `to`."
  },
  {
    id: "OWN-08",
    sections: ["3", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text:
      "A transfer whose `from` is not the current owner is 409 `OWNER_MISMATCH`, unless the slot already holds " +
      "`to`. The slot is unchanged."
  },
  {
    id: "OWN-09",
    sections: ["7.1"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "The message of a 409 `OWNER_MISMATCH` names the current owner. A different text is only a warning (§9)."
  },
  {
    id: "OWN-10",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body"],
    text:
      "A transfer to the owner that the slot already holds changes nothing: a repeated transfer succeeds. (With a " +
      "`from` that never held the slot: SIL-07.)"
  },
  {
    id: "OWN-11",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "Unlinking one of two owners empties that slot and leaves the other unchanged."
  },
  {
    id: "OWN-12",
    sections: ["3", "8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Unlinking the only remaining owner is a 4xx. The slot is unchanged."
  },
  {
    id: "OWN-13",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Whether the refusal to unlink the last owner suggests soft delete."
  },
  {
    id: "OWN-14",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "Unlinking an empty slot is 200 and changes nothing."
  },
  {
    id: "OWN-15",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "Link, unlink and transfer are idempotent: a repeated call is a 2xx and leaves the same state as one call."
  },
  {
    id: "OWN-16",
    sections: ["2.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "An owner reference has an `id` and a `type`, `applicant` or `worker`. Another type or a missing part is a 4xx."
  },
  {
    id: "OWN-17",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "Of two concurrent links of different owners exactly one succeeds. The other is 409 `ALREADY_LINKED`."
  },
  {
    id: "OWN-18",
    sections: ["3", "8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text: "After concurrent unlinks of both slots, one owner remains."
  },
  {
    id: "OWN-19",
    sections: ["3"],
    level: "SHOULD",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text:
      "Any mix of concurrent links, unlinks, transfers and reads of a credential is linearizable: some sequential " +
      "order explains every response."
  },
  {
    id: "OWN-20",
    sections: ["4.2"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    impact: "mutate-own",
    needs: ["credential body"],
    text: "Link, unlink, transfer and verify of an unknown credential are 404."
  },
  {
    id: "OWN-21",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text:
      "After any sequence of operations, the slots are as the transition table in §3 says. The cells that it " +
      "leaves open are excepted (SIL-06, 07, 08, 17, 28)."
  },
  {
    id: "OWN-22",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "delete paths"],
    text: "A credential whose last owner cannot be unlinked can be soft-deleted instead: 204."
  },
  {
    id: "OWN-23",
    sections: ["3", "8"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    impact: "mutate-own",
    needs: ["credential body", "applicant"],
    text:
      "After concurrent operations, each slot has at most one owner and at least one owner remains. Some " +
      "sequential order of the accepted operations explains the slots."
  }
] as const satisfies ReadonlyArray<Rule>
