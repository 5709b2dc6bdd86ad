import type { Words } from "../Words.ts"

const footer =
  "Sie erhalten diese Nachricht, weil Sie bei {organization} Nachweise betreuen. Abbestellen können Sie sie auf der Seite My security:\n{link}"

export const german: Words = {
  templates: {
    WEEKLY_DIGEST: {
      subject: "{organization}: offene Aufgaben am {date}",
      text: `Am {date} ist bei {organization} offen:\n\n{items}\n\n${footer}`
    },
    RED_TODAY: {
      subject: "{organization}: Personen, die nicht mehr arbeiten dürfen: {count}",
      text: `Diese Personen bei {organization} haben bisher alle Prüfungen bestanden und bestehen jetzt eine nicht mehr:\n\n{items}\n\n${footer}`
    }
  },
  parts: {
    notCompliant: {
      one: "1 Person besteht eine Prüfung nicht.",
      other: "{count} Personen bestehen eine Prüfung nicht."
    },
    lapsing: { one: "1 Nachweis läuft in 30 Tagen ab.", other: "{count} Nachweise laufen in 30 Tagen ab." },
    tasks: {
      one: "1 Aufgabe ist offen, seit {oldest}.",
      other: "{count} Aufgaben sind offen, die älteste seit {oldest}."
    },
    sources: { one: "1 Prüfquelle ist gestört.", other: "{count} Prüfquellen sind gestört." },
    webhooks: {
      one: "1 Webhook wurde nach Fehlern abgeschaltet.",
      other: "{count} Webhooks wurden nach Fehlern abgeschaltet."
    },
    mentions: {
      one: "1 Notiz erwähnt Sie, vom {oldest}.",
      other: "{count} Notizen erwähnen Sie, die erste vom {oldest}."
    }
  },
  more: { one: "und 1 weitere", other: "und {count} weitere" },
  somebody: "Erika Beispiel"
}
