// Send rating reports to a ratings office, in one file that needs no package:
//
//     mcs -r:System.Runtime.Serialization.dll ReportClient.cs
//     mono ReportClient.exe sign-in CLIENT_ID        print an access token
//     mono ReportClient.exe check FILE...            issues and expected ratings; stores nothing
//     mono ReportClient.exe send FILE...             open a report; again: the same report
//     mono ReportClient.exe replace REPORT FILE...   new files for a report not yet submitted
//     mono ReportClient.exe submit REPORT            hand it to the office
//     mono ReportClient.exe show REPORT              its state and issues
//
// The environment has OFFICE, the office's address, and TOKEN, an access token or API key.
// The status comes first, then the office's answer. Exit status 1: it was refused.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.Serialization.Json;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Xml;

class Answer
{
    public int Status;
    public string Text = "";

    // The value of a name in the answer's JSON object; null if it has none.
    public string this[string name]
    {
        get
        {
            byte[] bytes = Encoding.UTF8.GetBytes(Text);
            var reader = JsonReaderWriterFactory.CreateJsonReader(bytes, XmlDictionaryReaderQuotas.Max);
            var document = new XmlDocument();
            document.Load(reader);
            XmlElement found = document.DocumentElement[name];
            return found == null ? null : found.InnerText;
        }
    }
}

static class ReportClient
{
    const string Program = "program=Example%20in%20C%23&version=1.0";
    const string Scope = "report:draft report:submit members:read";
    const string Grant = "urn:ietf:params:oauth:grant-type:device_code";
    const string Form = "application/x-www-form-urlencoded";
    static readonly int[] Waits = { 2, 10, 30 }; // seconds before the request is repeated
    static readonly string Office =
        (Environment.GetEnvironmentVariable("OFFICE") ?? "http://127.0.0.1:8000").TrimEnd('/');

    // Send a request. Repeat what the office says may succeed later.
    static Answer Call(string method, string url, byte[] body = null, string type = null,
                       bool withToken = true, string key = null)
    {
        for (int attempt = 0; ; attempt++)
        {
            var asked = (HttpWebRequest)WebRequest.Create(url);
            asked.Method = method;
            asked.Timeout = 60000;
            asked.AllowAutoRedirect = false;
            asked.ServicePoint.Expect100Continue = false;
            if (withToken)
                asked.Headers["Authorization"] = "Bearer " + Environment.GetEnvironmentVariable("TOKEN");
            if (key != null)
                asked.Headers["Idempotency-Key"] = key;
            if (type != null)
                asked.ContentType = type;
            if (method == "POST")
            {
                asked.ContentLength = body == null ? 0 : body.Length;
                using (Stream stream = asked.GetRequestStream())
                    stream.Write(body ?? new byte[0], 0, body == null ? 0 : body.Length);
            }
            HttpWebResponse response;
            try
            {
                response = (HttpWebResponse)asked.GetResponse();
            }
            catch (WebException refused)
            {
                if (refused.Response == null)
                    throw;
                response = (HttpWebResponse)refused.Response;
            }
            using (response)
            using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8))
            {
                var answer = new Answer { Status = (int)response.StatusCode, Text = reader.ReadToEnd() };
                if (answer.Status < 400 || answer["retryable"] != "true" || attempt == Waits.Length)
                    return answer;
                int wait;
                if (!int.TryParse(response.Headers["Retry-After"], out wait))
                    wait = Waits[attempt];
                Thread.Sleep(1000 * Math.Min(wait, Waits[Waits.Length - 1]));
            }
        }
    }

    static Answer Ask(string method, string path, IEnumerable<string> files = null, bool withKey = false)
    {
        string url = Office + "/api/v1/reports" + path;
        if (files == null)
            return Call(method, url);
        byte[][] contents = files.Select(File.ReadAllBytes).ToArray();
        string edge = Digest(contents.SelectMany(one => one).ToArray());
        var body = new MemoryStream();
        int at = 0;
        foreach (string file in files)
        {
            Write(body, Encoding.UTF8.GetBytes("--" + edge + "\r\nContent-Disposition: form-data; " +
                "name=\"files\"; filename=\"" + Path.GetFileName(file) + "\"\r\n\r\n"));
            Write(body, contents[at++]);
            Write(body, Encoding.UTF8.GetBytes("\r\n"));
        }
        Write(body, Encoding.UTF8.GetBytes("--" + edge + "--\r\n"));
        // The key makes a repeated request find the report of the first.
        return Call(method, url, body.ToArray(), "multipart/form-data; boundary=" + edge,
                    key: withKey ? edge : null);
    }

    static void Write(Stream stream, byte[] bytes)
    {
        stream.Write(bytes, 0, bytes.Length);
    }

    static string Digest(byte[] bytes)
    {
        using (SHA256 sha = SHA256.Create())
            return BitConverter.ToString(sha.ComputeHash(bytes)).Replace("-", "").ToLowerInvariant();
    }

    // Replace the files, unless someone edits the report in the meantime.
    static Answer Replace(string report, IEnumerable<string> files)
    {
        Answer known = Ask("GET", "/" + report);
        if (known.Status != 200)
            return known;
        string path = "/" + report + "/files?report_version=" + known["version"] + "&" + Program;
        return Ask("POST", path, files);
    }

    // Return an access token, after the TD has entered a code (RFC 8628).
    static string SignIn(string clientId)
    {
        Answer found = Call("GET", Office + "/.well-known/openid-configuration", withToken: false);
        string client = "client_id=" + Uri.EscapeDataString(clientId);
        Answer asked = Post(found["device_authorization_endpoint"],
                            client + "&scope=" + Uri.EscapeDataString(Scope));
        if (asked["user_code"] == null)
        {
            Console.Error.WriteLine("Not signed in: " + (asked["error_description"] ?? asked["error"]));
            Environment.Exit(1);
        }
        Console.Error.WriteLine("Open " + asked["verification_uri"] + " and enter " + asked["user_code"] + ".");
        int wait = int.Parse(asked["interval"] ?? "5");
        string fields = client + "&grant_type=" + Uri.EscapeDataString(Grant) +
            "&device_code=" + Uri.EscapeDataString(asked["device_code"]);
        while (true)
        {
            Thread.Sleep(1000 * wait);
            Answer token = Post(found["token_endpoint"], fields);
            if (token["access_token"] != null)
                return token["access_token"];
            if (token["error"] == "slow_down")
                wait += 5;
            else if (token["error"] != "authorization_pending")
                throw new InvalidOperationException("Not signed in: " + token["error"] + ".");
        }
    }

    static Answer Post(string url, string fields)
    {
        return Call("POST", url, Encoding.UTF8.GetBytes(fields), Form, withToken: false);
    }

    static int Main(string[] arguments)
    {
        if (arguments.Length < 2)
        {
            Console.Error.WriteLine("ReportClient sign-in|check|send|replace|submit|show …");
            return 2;
        }
        string first = arguments[1];
        IEnumerable<string> rest = arguments.Skip(1);
        Answer answer;
        switch (arguments[0])
        {
            case "sign-in":
                Console.WriteLine(SignIn(first));
                return 0;
            case "check": answer = Ask("POST", "?dry_run=true", rest); break;
            case "send": answer = Ask("POST", "?" + Program, rest, withKey: true); break;
            case "replace": answer = Replace(first, rest.Skip(1)); break;
            case "submit": answer = Ask("POST", "/" + first + "/submit"); break;
            default: answer = Ask("GET", "/" + first); break;
        }
        Console.OutputEncoding = new UTF8Encoding(false);
        Console.WriteLine(answer.Status);
        Console.WriteLine(answer.Text);
        return answer.Status < 400 ? 0 : 1;
    }
}
