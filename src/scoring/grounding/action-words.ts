/** Something an agent can do by a tool, with the words that say that it was done. */
export interface ActionClass {
  readonly name: string;
  /** Past participles, also English past forms. */
  readonly said: readonly string[];
  /** Beginnings of words in the names and descriptions of tools that do it. */
  readonly tools: readonly string[];
  /** True when a text alone cannot have done it: "I have corrected" may speak of the reply itself. */
  readonly needsTool: boolean;
}

const action = (name: string, said: string, tools: string, needsTool = true): ActionClass => ({
  name,
  said: said.split(" "),
  tools: tools.split(" "),
  needsTool,
});

/** A small list on purpose: a claim that it misses is undecided, a wrong alarm costs trust. */
export const actionClasses: readonly ActionClass[] = [
  action(
    "cancel",
    "cancelled canceled voided storniert abgesagt gekündigt annulé annulée annulés annulées résilié résiliée cancelado cancelada cancelados canceladas anulado anulada",
    "cancel void terminat revok unsubscrib storn annul anul kündig kuendig resil delete remove stop end",
  ),
  action(
    "refund",
    "refunded reimbursed credited compensated erstattet zurückerstattet rückerstattet gutgeschrieben entschädigt remboursé remboursée remboursés remboursées crédité créditée reembolsado reembolsada reembolsados devuelto abonado",
    "refund reimburs credit compens chargeback certificate voucher coupon payout return cancel erstatt rembours reembols gutschrift devol",
  ),
  action(
    "book",
    "booked rebooked reserved purchased bought scheduled gebucht umgebucht reserviert gekauft vereinbart réservé réservée réservés achetée acheté planifié planifiée reservado reservada comprado comprada agendado agendada programado programada",
    "book rebook reserv order purchas buy plac schedul appoint calendar meeting event creat add buch termin réserv commande compr pedid agend program cita checkout cart update change modify reschedul",
  ),
  action(
    "send",
    "sent emailed e-mailed mailed texted forwarded notified gesendet zugesendet geschickt zugeschickt verschickt versendet weitergeleitet benachrichtigt envoyé envoyée envoyés transmis transmise notifié enviado enviada enviados reenviado notificado",
    "send email mail sms text messag forward notif alert shar post publish issue dispatch ship envi notific slack telegram whatsapp invit reset transfer escalat ticket creat",
  ),
  action(
    "transfer",
    "transferred escalated wired überwiesen eskaliert transféré transférée viré transferido transferida escalado",
    "transfer escalat handoff handover hand human agent operator connect wire pay move forward assign route ticket send überweis transf",
  ),
  action(
    "pay",
    "paid charged debited bezahlt abgebucht belastet payé payée débité débitée pagado pagada cobrado cargado",
    "pay charg debit bill invoic checkout transact process settle book order purchas refund transfer zahl cobr pag update",
  ),
  action(
    "block",
    "blocked unblocked locked unlocked deactivated activated suspended enabled disabled gesperrt entsperrt deaktiviert aktiviert bloqué bloquée débloqué désactivé activé bloqueado bloqueada desbloqueado desactivado activado",
    "block unblock lock unlock activ deactiv suspend enabl disabl freez unfreez toggl turn switch set update status report sperr bloqu card account",
  ),
  action(
    "delete",
    "deleted erased gelöscht supprimé supprimée effacé eliminado eliminada borrado borrada",
    "delet eras remov clear drop purg cancel close destroy lösch loesch supprim elimin borr",
    false,
  ),
  action(
    "create",
    "created opened filed submitted issued registered ordered placed erstellt angelegt eröffnet eingereicht ausgestellt registriert bestellt créé créée ouvert ouverte soumis soumise émis émise inscrit commandé commandée creado creada abierto abierta presentado emitido emitida registrado registrada pedido",
    "creat open fil submit issu regist order plac add new ticket insert make post send book generat log sign enrol certificate erstell anleg commande crea registr pedid",
    false,
  ),
  action(
    "change",
    "updated changed modified upgraded downgraded rescheduled adjusted replaced renewed extended exchanged added removed applied aktualisiert geändert angepasst umgestellt verlängert verschoben hinzugefügt entfernt ersetzt modifié modifiée modifiés changé changée ajouté ajoutée mis prolongé remplacé actualizado actualizada cambiado cambiada modificado modificada añadido añadida agregado ampliado reprogramado",
    "updat chang modif upgrad downgrad reschedul adjust replac renew extend exchang add remov appl set edit patch put write save correct insert delet move switch swap book assign änder aender aktualis anpass modifi chang cambi actual",
    false,
  ),
];

const byWord = new Map(actionClasses.flatMap((entry) => entry.said.map((word) => [word, entry] as const)));

/** The class of a participle. */
export const actionOf = (participle: string): ActionClass | undefined => byWord.get(participle);

/** Tools that only read, by the first word of their name. */
export const readingWords: ReadonlySet<string> = new Set(
  "get search list find look lookup fetch read check query calculate calc compute think retrieve view show describe validate estimate quote compare browse count inspect explain translate summarize classify detect convert suggest recommend is has can who what when where hole suche liste zeige lies prüfe chercher obtenir lister buscar obtener listar consultar".split(
    " ",
  ),
);

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Words between the auxiliary and the participle. */
export const adverbs = words(
  "just now already also successfully then indeed both gone ahead and fully safely officially manually since therefore bereits schon soeben gerade nun jetzt erfolgreich auch ebenfalls bien déjà également aussi maintenant donc ya también correctamente exitosamente ahora",
);

/** Words that make a claim conditional, future or negative when they stand before it in its sentence. */
export const hedges = words(
  "if once when whenever after until unless whether before will would could should can may might must shall not never cannot no without need needs want please wenn sobald nachdem bis falls ob bevor wird werden würde könnte sollte kann möchte nicht kein keine nie ohne si quand lorsque après jusqu avant pas jamais sera seront serait pourrait doit sans cuando después hasta antes no nunca será serán sería podría debe sin aunque cualquier",
);

/** Auxiliaries by language: who says it, and whether the participle may stand at the end of the clause. */
export const firstPersons = words("i we ich wir j je nous yo nosotros");
