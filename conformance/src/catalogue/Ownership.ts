import type { Rule } from "../Rule.ts"

/** OWN: ownership of one credential. */
export const own = [
  {
    id: "OWN-04",
    sections: ["3", "7.1"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "pair",
    blast: "mutate-own",
    needs: ["credential body"],
    text: "Linking another id into a slot that holds one is refused with 409 ALREADY_LINKED; the slot keeps what it held."
  },
  {
    id: "OWN-01",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "answers",
    blast: "mutate-own",
    needs: ["credential body"],
    text: "x"
  },
  {
    id: "OWN-13",
    sections: ["3"],
    level: "OBSERVE",
    keptBy: "server",
    surface: "newer",
    judged: "observation",
    blast: "mutate-own",
    needs: ["credential body"],
    text: "x"
  },
  {
    id: "RID-01",
    sections: ["3"],
    level: "MUST",
    keptBy: "server",
    surface: "newer",
    judged: "every exchange",
    blast: "read",
    needs: [],
    text: "x"
  }
] as const satisfies ReadonlyArray<Rule>
