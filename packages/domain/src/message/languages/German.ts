import type { Words } from "../Words.ts"

const footer =
  "Sie erhalten diese Nachricht, weil Sie bei {organization} Nachweise betreuen. Abbestellen können Sie sie in der Konsole, auf der Seite My security: {link}"

const toPerson =
  "Diese Nachricht kommt von {organization}. Dort wird ein Verzeichnis Ihrer Nachweise geführt. Antworten auf diese Nachricht liest niemand. Wenn Sie {organization} nicht kennen, beachten Sie die Nachricht nicht."

export const german: Words = {
  templates: {
    WEEKLY_DIGEST: {
      subject: "{organization}: offene Aufgaben am {date}",
      text: `Am {date} ist bei {organization} offen:\n\n{items}\n\n${footer}`
    },
    RED_TODAY: {
      subject: "{organization}: Personen, die nicht mehr arbeiten dürfen: {count}",
      text: `Diese Personen bei {organization} haben bisher alle Prüfungen bestanden und bestehen jetzt eine nicht mehr:\n\n{items}\n\n${footer}`
    },
    CARD_EXPIRING: {
      subject: "{organization}: Ihr Nachweis endet am {expiry}",
      text: `Guten Tag {name},\n\nIhr Nachweis „{card}“ endet am {expiry}. Verbleibende Tage: {count}.\n\nBitte erneuern Sie ihn rechtzeitig und teilen Sie {organization} das neue Datum mit.\n\n${toPerson}`
    },
    CARD_EXPIRED: {
      subject: "{organization}: Ihr Nachweis ist abgelaufen",
      text: `Guten Tag {name},\n\nIhr Nachweis „{card}“ war zuletzt am {expiry} gültig.\n\nWenn Sie einen neuen haben, teilen Sie {organization} dessen Nummer und Datum mit. Fragen Sie sonst {organization}, ob Sie arbeiten dürfen.\n\n${toPerson}`
    },
    REQUEST: {
      subject: "{organization} bittet um Ihre Nachweise",
      text: `Guten Tag {name},\n\n{organization} bittet Sie um:\n\n{items}\n\n{message}\n\nBitte antworten Sie bis {expiry} auf dieser Seite. Sie brauchen kein Konto. Der Link ist nur für Sie: Leiten Sie ihn nicht weiter.\n\n{link}\n\n${toPerson}`
    },
    REQUEST_REMINDER: {
      subject: "{organization} wartet auf Ihre Nachweise",
      text: `Guten Tag {name},\n\n{organization} hat Sie gebeten um:\n\n{items}\n\n{message}\n\nBitte antworten Sie bis {expiry} auf dieser Seite. Sie brauchen kein Konto. Der Link ist nur für Sie: Leiten Sie ihn nicht weiter.\n\n{link}\n\n${toPerson}`
    },
    REQUEST_CODE: {
      subject: "{organization}: Ihr Code",
      text: `Guten Tag {name},\n\nIhr Code ist {code}. Geben Sie ihn auf der Seite ein, die danach fragt.\n\nWenn Sie diese Seite nicht geöffnet haben, hat jemand anderes Ihren Link. Geben Sie den Code niemandem und sagen Sie {organization} Bescheid.\n\n${toPerson}`
    },
    REQUEST_DECIDED: {
      subject: "{organization}: zu Ihrer Antwort",
      text: `Guten Tag {name},\n\n{decision}\n\n{reason}\n\n${toPerson}`
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
  manyMore: "und weitere, zu viele, um sie hier zu zählen",
  somebody: "Erika Beispiel",
  sampleMessage: "Bitte bringen Sie das Original am Montag mit.",
  decisions: {
    accepted: "Ihre Antwort wurde angenommen.",
    rejected: "Ihre Antwort wurde nicht angenommen."
  }
}
