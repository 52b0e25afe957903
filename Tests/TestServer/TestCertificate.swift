#if Live
/// A self-signed certificate for `localhost` with its key, valid until 2126. Its key is public, so it protects nothing.
public enum TestCertificate {
    /// The certificate in PEM.
    public static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBlTCCATugAwIBAgIUMUQhFFfXQBXIFbF6KqrT9Q+HSeIwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE3MzgxMloYDzIxMjYxMDI4
        MTczODEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQakTm6wuhy5TN5jkx+9vBuXswmVehyVQIRDphKiAsRpVWI5nLaWqT6
        ZLCICia+kLTrNWj1OlJ7AQywUhdMkhQAo2kwZzAdBgNVHQ4EFgQUBWnkd6qwAT9Y
        st0zgfqFK27tBLcwHwYDVR0jBBgwFoAUBWnkd6qwAT9Yst0zgfqFK27tBLcwFAYD
        VR0RBA0wC4IJbG9jYWxob3N0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
        SAAwRQIhAL4GWXzoGlMJ+TG7ir1vj5zLFZJ9Xd+8HLcODURKXppCAiBONCj/SDuR
        Fu/Q15+WRce45HoMvzv2QIWOBTRzmnJcPw==
        -----END CERTIFICATE-----

        """

    /// Its private key in PEM.
    public static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgeZSp5+J1z2KLIfvv
        jxMdZ0WBiFkZzEcgk4hj/lcGNd2hRANCAAQakTm6wuhy5TN5jkx+9vBuXswmVehy
        VQIRDphKiAsRpVWI5nLaWqT6ZLCICia+kLTrNWj1OlJ7AQywUhdMkhQA
        -----END PRIVATE KEY-----

        """
}
#endif
