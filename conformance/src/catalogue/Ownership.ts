import type { Rule } from "./Rule.ts"

/** OWN: who owns one credential. */
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
    text: "Linking a worker where the worker slot is empty is 200, and the slot holds that worker."
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
      "Linking an applicant where the applicant slot is empty is 200, and the slot holds it; the worker slot stays " +
      "as it was."
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
    text: "Linking whoever the slot holds already is 200 and changes nothing."
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
    text: "Linking somebody else into a slot that is taken is 409 `ALREADY_LINKED`, and the slot keeps its holder."
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
    text: "The message of that 409 points to transfer. A text, so another is a warning."
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
    text: "A reference that contradicts itself, such as the type `worker` with an `app_` id, is a 4xx."
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
    text: "Transferring from the one who holds the slot is 200, and then `to` holds it."
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
      "Transferring from somebody else, to somebody who does not hold the slot, is 409 `OWNER_MISMATCH`, and the " +
      "slot keeps its holder."
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
    text: "The message of that 409 names the holder. A text, so another is a warning."
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
      "Transferring to whoever holds the slot already changes nothing: a transfer said again succeeds. (From " +
      "somebody who never held it: SIL-07.)"
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
    text: "Unlinking one of two owners empties that slot, and leaves the other."
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
    text: "Unlinking the last owner is a 4xx, and the slot keeps its holder."
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
    text: "Whether that refusal mentions soft delete as the way out."
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
    text: "Unlinking where the slot is empty is 200 and changes nothing."
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
    text:
      "A link, unlink or transfer that is said twice is a 2xx the second time, " +
      "and leaves what saying it once does."
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
    text:
      "An owner reference has a `type`, `applicant` or `worker`, and an `id`; with another type, or without one of " +
      "the two, it is a 4xx."
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
    text: "Of two owners linked at the same moment one gets the slot, and the other 409 `ALREADY_LINKED`."
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
    text: "When both owners are unlinked at the same moment, one of them stays."
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
      "For any links, unlinks, transfers and reads of a credential that overlap, there is an order of one after " +
      "another in which all their answers make sense."
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
    text: "Link, unlink, transfer and verify are 404 for a credential that does not exist."
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
      "Whatever the sequence of operations, the slots are what the table of transitions makes of it, apart from the " +
      "cells that it leaves open (SIL-06, 07, 08, 17, 28)."
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
    text: "Where the last owner cannot be unlinked, the credential can be deleted softly: 204."
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
      "After operations that overlapped, no slot holds two owners, one owner is left, and some order of the " +
      "operations that were accepted leads to what the slots hold."
  }
] as const satisfies ReadonlyArray<Rule>
