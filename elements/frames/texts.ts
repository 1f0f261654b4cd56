import type { Texts } from './field/problems/english.ts';

/** The sentences in other languages than English. Fields load this file only if the page is in one of these. */
export const texts: Readonly<Record<string, Texts>> = {
  de: {
    number: {
      empty: 'Geben Sie die Kartennummer ein.',
      incomplete: 'Die Kartennummer ist unvollständig.',
      checksum: 'Die Kartennummer stimmt nicht. Prüfen Sie die Ziffern.',
      brand: 'Diese Karte wird nicht unterstützt.',
    },
    date: {
      empty: 'Geben Sie das Ablaufdatum ein.',
      incomplete: 'Das Ablaufdatum ist unvollständig.',
      expired: 'Die Karte ist abgelaufen.',
      invalid: 'Diesen Monat gibt es nicht.',
    },
    code: {
      empty: 'Geben Sie die Prüfziffer ein.',
      incomplete: 'Die Prüfziffer ist unvollständig.',
      brand: 'Die Prüfziffer passt nicht zur Karte.',
    },
    text: {
      empty: 'Füllen Sie dieses Feld aus.',
      incomplete: 'Die Eingabe ist unvollständig.',
      invalid: 'Die Eingabe ist ungültig.',
    },
  },
  fr: {
    number: {
      empty: 'Saisissez le numéro de carte.',
      incomplete: 'Le numéro de carte est incomplet.',
      checksum: 'Le numéro de carte est incorrect. Vérifiez les chiffres.',
      brand: 'Cette carte n’est pas prise en charge.',
    },
    date: {
      empty: 'Saisissez la date d’expiration.',
      incomplete: 'La date d’expiration est incomplète.',
      expired: 'La carte a expiré.',
      invalid: 'Ce mois n’existe pas.',
    },
    code: {
      empty: 'Saisissez le code de sécurité.',
      incomplete: 'Le code de sécurité est incomplet.',
      brand: 'Le code de sécurité ne correspond pas à la carte.',
    },
    text: {
      empty: 'Remplissez ce champ.',
      incomplete: 'La saisie est incomplète.',
      invalid: 'La saisie n’est pas valide.',
    },
  },
  es: {
    number: {
      empty: 'Introduzca el número de tarjeta.',
      incomplete: 'El número de tarjeta está incompleto.',
      checksum: 'El número de tarjeta no es correcto. Compruebe los dígitos.',
      brand: 'Esta tarjeta no se admite.',
    },
    date: {
      empty: 'Introduzca la fecha de caducidad.',
      incomplete: 'La fecha de caducidad está incompleta.',
      expired: 'La tarjeta ha caducado.',
      invalid: 'Ese mes no existe.',
    },
    code: {
      empty: 'Introduzca el código de seguridad.',
      incomplete: 'El código de seguridad está incompleto.',
      brand: 'El código de seguridad no corresponde a la tarjeta.',
    },
    text: {
      empty: 'Rellene este campo.',
      incomplete: 'El dato está incompleto.',
      invalid: 'El dato no es válido.',
    },
  },
  it: {
    number: {
      empty: 'Inserisci il numero della carta.',
      incomplete: 'Il numero della carta è incompleto.',
      checksum: 'Il numero della carta non è corretto. Controlla le cifre.',
      brand: 'Questa carta non è supportata.',
    },
    date: {
      empty: 'Inserisci la data di scadenza.',
      incomplete: 'La data di scadenza è incompleta.',
      expired: 'La carta è scaduta.',
      invalid: 'Questo mese non esiste.',
    },
    code: {
      empty: 'Inserisci il codice di sicurezza.',
      incomplete: 'Il codice di sicurezza è incompleto.',
      brand: 'Il codice di sicurezza non corrisponde alla carta.',
    },
    text: {
      empty: 'Compila questo campo.',
      incomplete: 'Il dato è incompleto.',
      invalid: 'Il dato non è valido.',
    },
  },
  nl: {
    number: {
      empty: 'Voer het kaartnummer in.',
      incomplete: 'Het kaartnummer is onvolledig.',
      checksum: 'Het kaartnummer klopt niet. Controleer de cijfers.',
      brand: 'Deze kaart wordt niet ondersteund.',
    },
    date: {
      empty: 'Voer de vervaldatum in.',
      incomplete: 'De vervaldatum is onvolledig.',
      expired: 'De kaart is verlopen.',
      invalid: 'Deze maand bestaat niet.',
    },
    code: {
      empty: 'Voer de beveiligingscode in.',
      incomplete: 'De beveiligingscode is onvolledig.',
      brand: 'De beveiligingscode hoort niet bij de kaart.',
    },
    text: {
      empty: 'Vul dit veld in.',
      incomplete: 'De invoer is onvolledig.',
      invalid: 'De invoer is niet geldig.',
    },
  },
  pt: {
    number: {
      empty: 'Introduza o número do cartão.',
      incomplete: 'O número do cartão está incompleto.',
      checksum: 'O número do cartão não está correto. Verifique os dígitos.',
      brand: 'Este cartão não é aceite.',
    },
    date: {
      empty: 'Introduza a data de validade.',
      incomplete: 'A data de validade está incompleta.',
      expired: 'O cartão expirou.',
      invalid: 'Esse mês não existe.',
    },
    code: {
      empty: 'Introduza o código de segurança.',
      incomplete: 'O código de segurança está incompleto.',
      brand: 'O código de segurança não corresponde ao cartão.',
    },
    text: {
      empty: 'Preencha este campo.',
      incomplete: 'O valor está incompleto.',
      invalid: 'O valor não é válido.',
    },
  },
  pl: {
    number: {
      empty: 'Wpisz numer karty.',
      incomplete: 'Numer karty jest niepełny.',
      checksum: 'Numer karty jest nieprawidłowy. Sprawdź cyfry.',
      brand: 'Ta karta nie jest obsługiwana.',
    },
    date: {
      empty: 'Wpisz datę ważności.',
      incomplete: 'Data ważności jest niepełna.',
      expired: 'Karta straciła ważność.',
      invalid: 'Nie ma takiego miesiąca.',
    },
    code: {
      empty: 'Wpisz kod zabezpieczający.',
      incomplete: 'Kod zabezpieczający jest niepełny.',
      brand: 'Kod zabezpieczający nie pasuje do karty.',
    },
    text: {
      empty: 'Wypełnij to pole.',
      incomplete: 'Wpis jest niepełny.',
      invalid: 'Wpis jest nieprawidłowy.',
    },
  },
  sv: {
    number: {
      empty: 'Ange kortnumret.',
      incomplete: 'Kortnumret är ofullständigt.',
      checksum: 'Kortnumret stämmer inte. Kontrollera siffrorna.',
      brand: 'Kortet stöds inte.',
    },
    date: {
      empty: 'Ange utgångsdatumet.',
      incomplete: 'Utgångsdatumet är ofullständigt.',
      expired: 'Kortet har gått ut.',
      invalid: 'Den månaden finns inte.',
    },
    code: {
      empty: 'Ange säkerhetskoden.',
      incomplete: 'Säkerhetskoden är ofullständig.',
      brand: 'Säkerhetskoden hör inte till kortet.',
    },
    text: {
      empty: 'Fyll i fältet.',
      incomplete: 'Uppgiften är ofullständig.',
      invalid: 'Uppgiften är ogiltig.',
    },
  },
  ja: {
    number: {
      empty: 'カード番号を入力してください。',
      incomplete: 'カード番号の桁数が足りません。',
      checksum: 'カード番号が正しくありません。数字を確認してください。',
      brand: 'このカードには対応していません。',
    },
    date: {
      empty: '有効期限を入力してください。',
      incomplete: '有効期限の入力が途中です。',
      expired: 'カードの有効期限が切れています。',
      invalid: 'この月は存在しません。',
    },
    code: {
      empty: 'セキュリティコードを入力してください。',
      incomplete: 'セキュリティコードの桁数が足りません。',
      brand: 'セキュリティコードがカードと一致しません。',
    },
    text: {
      empty: 'この項目を入力してください。',
      incomplete: '入力が途中です。',
      invalid: '入力内容が正しくありません。',
    },
  },
};
